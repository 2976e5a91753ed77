const text = require("./text"); // => -

class Store {
  constructor(name) {
    this.name = name;
    this.reset(); // => lib/store.js Store.reset
  }

  reset() {
    this.values = new Map(); // => -
  }

  put(key, value) {
    this.values.set(key, text.format(value)); // => - | lib/text.js format
    this.changed(); // => lib/store.js Store.changed
  }

  changed() {}
}

class Logged extends Store {
  put(key, value) {
    super.put(key, value); // => lib/store.js Store.put
    this.changed(); // => lib/store.js Store.changed
    log(key); // => lib/store.js log
  }
}

function log(key) {
  console.log(key); // => -
}

exports.open = function open(name) {
  const store = new Logged(name); // => lib/store.js Logged
  store.put("a", 1); // => lib/store.js Logged.put
  return store;
};

exports.Store = Store;
