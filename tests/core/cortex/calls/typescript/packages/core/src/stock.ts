const counts = new Map<string, number>(); // => -

export function reserve(name: string): number {
  const count = level(name); // => packages/core/src/stock.ts level
  counts.set(name, count - 1); // => -
  return count;
}

export function level(name: string): number {
  return counts.get(name) ?? missing(name); // => - | packages/core/src/stock.ts missing
}

function missing(name: string): never {
  throw new Error(name); // => -
}

export namespace shelves {
  export function open(): void {
    close(); // => packages/core/src/stock.ts shelves.close
  }

  export function close(): void {
    level("x"); // => packages/core/src/stock.ts level
  }
}

export function openAll(): void {
  shelves.open(); // => packages/core/src/stock.ts shelves.open
}
