export { Cart, type Line } from "./cart";
export { parse as parseMoney, default as Money } from "./money";
export * from "./rules";
export * as stock from "./stock";
