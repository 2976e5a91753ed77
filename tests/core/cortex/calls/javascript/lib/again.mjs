export { boot as restart } from "./events.mjs";
export * from "./bus.mjs";
