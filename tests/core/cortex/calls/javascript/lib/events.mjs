import emit, { on as listen } from "./bus.mjs";
import * as bus from "./bus.mjs";
import { EventEmitter } from "node:events";

export class Events extends EventEmitter {
  start() {
    listen("x", () => this.fire("y")); // => lib/bus.mjs on | lib/events.mjs Events.fire
    bus.off("x"); // => lib/bus.mjs off
    this.once("z"); // => -
  }

  fire(name) {
    emit(name); // => lib/bus.mjs emit
  }

  static create() {
    const events = new Events(); // => lib/events.mjs Events
    events.start(); // => lib/events.mjs Events.start
    return events;
  }
}

export const boot = async () => {
  const events = Events.create(); // => lib/events.mjs Events.create
  await events.fire("boot"); // => lib/events.mjs Events.fire
  const { late } = await import("./late.mjs"); // => -
  late(); // => lib/late.mjs late
};
