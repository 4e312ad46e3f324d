import type { Component } from '../pi-tui.ts';

/** Lines that are rendered again for each frame. */
export class Lines implements Component {
  readonly #make: (width: number) => readonly string[];

  constructor(make: (width: number) => readonly string[]) {
    this.#make = make;
  }

  invalidate(): void {}

  render(width: number): readonly string[] {
    return this.#make(width);
  }
}
