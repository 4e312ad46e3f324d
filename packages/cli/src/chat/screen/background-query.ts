import { parseOscColorResponse } from '../pi-tui.ts';

/** The colour of the background (OSC 11), and what every terminal answers: its attributes (DA1). */
const QUERY = '\u001b]11;?\u0007\u001b[c';
const ATTRIBUTES = /^\u001b\[\?[\d;]*c$/;
/** After this time, a terminal is not going to answer. */
const PATIENCE_MS = 1_000;

export interface BackgroundQueryOptions {
  write: (text: string) => void;
  onAnswer: (color: { r: number; g: number; b: number }) => void;
}

/**
 * Asks the terminal for the colour of its background. Nothing waits for the answer, except who gives the terminal to
 * another program, which would read it as typed text.
 */
export class BackgroundQuery {
  readonly #options: BackgroundQueryOptions;
  #answered = Promise.withResolvers<void>();

  constructor(options: BackgroundQueryOptions) {
    this.#options = options;
    this.#answered.resolve();
  }

  ask(): void {
    const answered = Promise.withResolvers<void>();
    this.#answered = answered;
    this.#options.write(QUERY);
    setTimeout(() => answered.resolve(), PATIENCE_MS).unref();
  }

  /** Resolves when the terminal has answered or is not going to. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Returns true if the input is an answer, also one that comes too late: it is never typed. */
  take(input: string): boolean {
    if (ATTRIBUTES.test(input)) {
      this.#answered.resolve();
      return true;
    }
    const answer = parseOscColorResponse(input);
    if (answer?.target === 'background' && answer.rgb !== undefined) this.#options.onAnswer(answer.rgb);
    return answer !== undefined;
  }
}
