import Money, { parse, zero as nothing } from "./money";
import { Rule, make } from "./rules.js";
import * as stock from "./stock";
import fs from "node:fs";

export interface Line {
  name: string;
  price: Money;
}

abstract class Base {
  abstract dump(): string;

  save(): void {
    fs.writeFileSync("x", this.dump()); // => - | packages/core/src/cart.ts Base.dump
  }

  describe(): string {
    return "base";
  }
}

export class Cart extends Base {
  private lines: Line[] = [];
  private rule: Rule;

  constructor(rule: Rule, private readonly backup?: Cart) {
    super(); // => -
    this.rule = rule;
  }

  dump(): string {
    return JSON.stringify(this.lines); // => -
  }

  add(name: string, price: string): void {
    stock.reserve(name); // => packages/core/src/stock.ts reserve
    this.lines.push({ name, price: parse(price) }); // => - | packages/core/src/money.ts parse
    this.check(); // => packages/core/src/cart.ts Cart.check
    this.backup?.check(); // => packages/core/src/cart.ts Cart.check
  }

  check(): void {
    this.rule.test(this); // => packages/core/src/rules.ts Rule.test
    this.describe(); // => packages/core/src/cart.ts Base.describe
    this.vanish(); // => -
    super.save(); // => packages/core/src/cart.ts Base.save
  }

  sum(): Money {
    let total = nothing(); // => packages/core/src/money.ts zero
    for (const line of this.lines) {
      total = total.plus(line.price); // => packages/core/src/money.ts Money.plus
    }
    return total;
  }
}

export function totalOf(cart: Cart, rules: Rule[]): Money {
  const inner = (value: Cart) => value.sum(); // => packages/core/src/cart.ts Cart.sum
  rules.forEach((rule) => rule.test(cart)); // => - | packages/core/src/rules.ts Rule.test
  return inner(cart); // => packages/core/src/cart.ts totalOf.inner
}

export function parseAll(parse: (text: string) => Money, texts: string[]): Money[] {
  return texts.map((text) => parse(text)); // => - | -
}

export function build(): Cart {
  const cart = new Cart(make("never")); // => packages/core/src/cart.ts Cart | packages/core/src/rules.ts make
  cart.add("a", "3"); // => packages/core/src/cart.ts Cart.add
  return cart;
}
