import { printable } from '../../render/format.ts';

/** The terminal reports when it comes to the front, and when it leaves. */
const REPORT_ON = '\u001b[?1004h';
const REPORT_OFF = '\u001b[?1004l';
const FOCUSED = '\u001b[I';
const UNFOCUSED = '\u001b[O';

interface Output {
  write(text: string): void;
  setTitle(title: string): void;
}

/** The window around the text: its title, its focus, its notifications and its clipboard. */
export class TerminalWindow {
  readonly #terminal: Output;
  #title = '';
  /** A terminal that reports nothing counts as in front. */
  #isInFront = true;

  constructor(terminal: Output) {
    this.#terminal = terminal;
  }

  take(): void {
    this.#terminal.write(REPORT_ON);
  }

  release(): void {
    this.#terminal.write(REPORT_OFF);
  }

  /** Returns true if the input is not a key, but a report about the focus. */
  takesReport(data: string): boolean {
    const isReport = data === FOCUSED || data === UNFOCUSED;
    if (isReport) this.#isInFront = data === FOCUSED;
    return isReport;
  }

  setTitle(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#terminal.setTitle(printable(title));
  }

  /** Terminals that do not know these sequences (OSC 9 and OSC 777) ignore them. */
  notify(text: string): void {
    if (this.#isInFront) return;
    const shown = printable(text).replaceAll(/[;\n]/g, ' ');
    this.#terminal.write(`\u001b]9;${shown}\u0007\u001b]777;notify;Longhaul;${shown}\u0007`);
  }

  /** OSC 52 also works over ssh. The terminal does not say whether it did it. */
  copy(text: string): void {
    this.#terminal.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }
}
