import type { Component, Focusable } from '../pi-tui.ts';

/** A question that replaces the composer until it is answered. */
export interface Panel extends Component, Focusable {
  handleInput(data: string): void;
}
