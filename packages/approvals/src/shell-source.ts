/** A shell line, how far it has been read, and whether everything up to there was understood. */
export class ShellSource {
  at = 0;
  isCertain = true;
  /** How many substitutions and subshells are open. */
  depth: number;
  readonly text: string;

  constructor(text: string, depth: number) {
    this.text = text;
    this.depth = depth;
    if (UNREADABLE.test(text)) this.isCertain = false;
  }

  get char(): string | undefined {
    return this.text[this.at];
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Takes the text that the sticky expression matches here. Undefined if it does not match. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  takeRest(): string {
    const rest = this.text.slice(this.at);
    this.at = this.text.length;
    return rest;
  }
}

/** How deep substitutions and subshells are read. A deeper line is uncertain. */
export const MAX_DEPTH = 10;

/**
 * Control characters other than the tab and the line feed. People do not see them, and shells use some as own marks.
 */
const UNREADABLE = /(?![\t\n])\p{Cc}|\p{Cs}/u;
