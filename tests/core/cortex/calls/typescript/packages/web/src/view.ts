export function render(text: string): string {
  return escape(text); // => packages/web/src/view.ts escape
}

export function escape(text: string): string {
  return text.replace("<", "&lt;"); // => -
}

class View {
  #state = 0;

  update(): void {
    this.#redraw(); // => packages/web/src/view.ts View.#redraw
    setTimeout(() => this.update(), 10); // => - | packages/web/src/view.ts View.update
  }

  #redraw(): void {
    render(String(this.#state)); // => packages/web/src/view.ts render | -
  }
}

export function mount(view: View): void {
  view.update(); // => packages/web/src/view.ts View.update
}
