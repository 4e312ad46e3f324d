import type { Component, Focusable } from '@earendil-works/pi-tui';

/** Something that stands in place of the composer until it is answered. */
export interface Panel extends Component, Focusable {
  handleInput(data: string): void;
}
