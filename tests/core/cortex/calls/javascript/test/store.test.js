const { Store, open } = require("../lib/store.js"); // => -
const { main } = require(".."); // => -

describe("store", () => { // => -
  it("puts", () => { // => -
    const store = new Store("x"); // => lib/store.js Store
    store.put("a", 1); // => lib/store.js Store.put
    open("y"); // => lib/store.js open
    expect(main(["z"])).toBe(1); // => - | lib/index.js main
  });
});
