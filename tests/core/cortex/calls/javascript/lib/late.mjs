import { restart } from "./again.mjs";

export function late() {
  const api = {
    run() {
      return again(); // => lib/late.mjs again
    },
  };
  return api.run(); // => lib/late.mjs late.api.run
}

function again() {
  restart(); // => lib/events.mjs boot
  [1, 2].forEach(function visit(item) { // => -
    check(item); // => lib/late.mjs check
  });
}

const check = (item, emit = () => {}) => {
  emit(item); // => -
  return item;
};
