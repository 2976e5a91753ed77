import type { Cart } from "./cart";

export interface Rule {
  test(cart: Cart): boolean;
}

export class Discount implements Rule {
  constructor(protected percent: number) {}

  test(cart: Cart): boolean {
    return this.apply(cart); // => packages/core/src/rules.ts Discount.apply
  }

  apply(cart: Cart): boolean {
    cart.sum(); // => packages/core/src/cart.ts Cart.sum
    return check(this.percent); // => packages/core/src/rules.ts check
  }
}

export class Never extends Discount {
  test(cart: Cart): boolean {
    const found = super.test(cart); // => packages/core/src/rules.ts Discount.test
    return found && this.apply(cart); // => packages/core/src/rules.ts Discount.apply
  }
}

function check(value: number): boolean {
  return Number.isFinite(value); // => -
}

export const make = (kind: string): Rule => {
  if (kind === "never") {
    return new Never(0); // => packages/core/src/rules.ts Never
  }
  return new Discount(10); // => packages/core/src/rules.ts Discount
};
