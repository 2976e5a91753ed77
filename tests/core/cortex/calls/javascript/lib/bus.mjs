const handlers = {};

export default function emit(name) {
  each(name, (handler) => handler(name)); // => lib/bus.mjs each | -
}

export function on(name, handler) {
  listOf(name).push(handler); // => lib/bus.mjs listOf | -
}

export function off(name) {
  delete handlers[name];
  emit("off"); // => lib/bus.mjs emit
}

function each(name, on) {
  for (const handler of listOf(name)) { // => lib/bus.mjs listOf
    on(handler); // => -
  }
}

function listOf(name) {
  function create() {
    handlers[name] = [];
    return handlers[name];
  }
  return handlers[name] || create(); // => lib/bus.mjs listOf.create
}
