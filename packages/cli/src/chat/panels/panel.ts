import type { Component, Focusable } from '../pi-tui.ts';

/** Something that stands in place of the composer until it is answered. */
export interface Panel extends Component, Focusable {
  handleInput(data: string): void;
}
