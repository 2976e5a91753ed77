function parse(text) {
  return split(text).map((part) => trim(part)); // => lib/text.js split | - | lib/text.js trim
}

function split(text) {
  return text.split(","); // => -
}

const trim = (text) => text.trim(); // => -

const format = function (value) {
  return String(value); // => -
};

module.exports = { parse, format };
