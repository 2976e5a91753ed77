import { round } from "mathlib";

export default class Money {
  constructor(readonly cents: number) {}

  plus(other: Money): Money {
    return new Money(this.cents + other.cents); // => packages/core/src/money.ts Money
  }

  times(factor: number): Money {
    return Money.of(round(this.cents * factor)); // => packages/core/src/money.ts Money.of | -
  }

  static of(cents: number): Money {
    return new this(cents); // => ?
  }

  format = (): string => {
    return pad(String(this.cents)); // => packages/core/src/money.ts pad | -
  };
}

function pad(text: string): string {
  return text.padStart(3, "0"); // => -
}

export function parse(text: string): Money {
  const value = parseFloat(text); // => -
  return Money.of(value); // => packages/core/src/money.ts Money.of
}

export const zero = () => Money.of(0); // => packages/core/src/money.ts Money.of
