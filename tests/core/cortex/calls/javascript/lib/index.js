"use strict";

const path = require("path"); // => -
const { parse, format } = require("./text"); // => -
const store = require("./store"); // => -

function main(args) {
  const made = parse(args[0]); // => lib/text.js parse
  store.open(made); // => lib/store.js open
  path.join("a", "b"); // => -
  return helper(made); // => lib/index.js helper
}

function helper(value) {
  return format(value); // => lib/text.js format
}

module.exports = { main };
