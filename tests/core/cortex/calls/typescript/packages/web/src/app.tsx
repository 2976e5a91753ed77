import React, { useState } from "react";
import { Cart, Money, make, parseMoney, stock } from "@shop/core";
import type { Rule } from "@shop/core";
import { render as draw } from "./view";

export function App(props: { rule: Rule }) {
  const [cart] = useState(() => new Cart(props.rule)); // => - | packages/core/src/cart.ts Cart
  const price = parseMoney("3"); // => packages/core/src/money.ts parse
  const add = () => {
    cart.add("a", "1"); // => packages/core/src/cart.ts Cart.add
    stock.reserve("a"); // => packages/core/src/stock.ts reserve
  };
  price.format(); // => packages/core/src/money.ts Money.format
  return <Button onPress={() => add()} />; // => packages/web/src/app.tsx App.add
}

function Button(props: { onPress: () => void }) {
  props.onPress(); // => -
  draw("x"); // => packages/web/src/view.ts render
  return React.createElement("button"); // => -
}

export function start(rule = make("x")): Money { // => packages/core/src/rules.ts make
  const render = (text: string) => text;
  render("y"); // => packages/web/src/app.tsx start.render
  return new Money(3); // => packages/core/src/money.ts Money
}
