import type { Panel } from './panel.ts';

/**
 * Questions in place of the composer, the newest on top. A question that opens while a person writes is held, so that
 * it does not take the keys of their text: it opens when they press Enter in the empty composer.
 */
export class PanelStack {
  readonly #panels: { panel: Panel; isHeld: boolean }[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The question that takes the keys. Undefined: there is none, or the newest one is held. */
  get open(): Panel | undefined {
    const newest = this.#panels.at(-1);
    return newest?.isHeld === true ? undefined : newest?.panel;
  }

  /** A question waits behind the composer. */
  get holds(): boolean {
    return this.#panels.at(-1)?.isHeld === true;
  }

  /** Shows a panel until the result is disposed. */
  show(panel: Panel, { isHeld }: { isHeld: boolean }): Disposable {
    const shown = { panel, isHeld };
    this.#panels.push(shown);
    this.#onChange();
    return {
      [Symbol.dispose]: () => {
        const index = this.#panels.indexOf(shown);
        if (index !== -1) this.#panels.splice(index, 1);
        this.#onChange();
      },
    };
  }

  /** Opens the question that is held. */
  openHeld(): void {
    const newest = this.#panels.at(-1);
    if (newest === undefined) return;
    newest.isHeld = false;
    this.#onChange();
  }
}
