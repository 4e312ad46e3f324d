/** One command of a shell line, with its redirections. */
export interface ParsedCommand {
  /** Quotes and escapes removed. */
  words: string[];
  /** Targets of output redirections, except other descriptors and the null device. */
  writes: string[];
  /** The command as written in the line, with quotes. */
  source: string;
}

export interface ParsedLine {
  /** Every simple command, including those in `$(…)`, backquotes, subshells and process substitutions. */
  commands: ParsedCommand[];
  /**
   * False if the line contains something that this parser does not follow: a here-document, `case`, a function, an open
   * quote.
   */
  isCertain: boolean;
}

/**
 * Splits a shell line into its simple commands. Runs nothing and expands nothing. If it cannot be certain what a shell
 * would do, `isCertain` is false.
 */
export function parseShellLine(line: string): ParsedLine {
  const reader = new LineReader(line);
  reader.readAll();
  return { commands: reader.commands, isCertain: reader.isCertain };
}

const MAX_DEPTH = 10;

const PLAIN_ARITHMETIC = /^\$\(\([\d\s+\-*/%]*\)\)$/;
const PLAIN_PARAMETER = /^\$\{#?\w+(?:(?::?[-+?]|%%?|##?)[^`$'"\\@{}[\]]*)?\}$/;

class LineReader {
  readonly commands: ParsedCommand[] = [];
  isCertain = true;
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #current: { words: string[]; writes: string[] } = { words: [], writes: [] };
  #startedAt = 0;
  #word: string | undefined;
  #redirects = false;
  /** Whether the redirection is `>&`, whose target can be a descriptor. */
  #duplicates = false;

  constructor(text: string, depth = 0) {
    this.#text = text;
    this.#depth = depth;
    if (depth > MAX_DEPTH) {
      this.isCertain = false;
      this.#at = text.length;
    }
  }

  readAll(): void {
    while (this.#at < this.#text.length) this.#readNext();
    this.#endCommand();
  }

  #readNext(): void {
    const char = this.#text[this.#at] ?? '';
    const next = this.#text[this.#at + 1];
    if (char === '\\') this.#escape(next);
    else if (char === "'") this.#singleQuoted();
    else if (char === '"') this.#doubleQuoted();
    else if (char === '$') this.#dollar();
    else if (char === '`') this.#backquoted();
    else if (char === '>' || char === '<' || (char === '&' && next === '>')) this.#redirection();
    else if (char === '#' && this.#word === undefined) this.#comment();
    else this.#plain(char);
  }

  #plain(char: string): void {
    const at = this.#at;
    this.#at += 1;
    // A shell treats it as a letter; people see a blank.
    if (char === '\r') this.isCertain = false;
    // `((` starts arithmetic, which evaluates the value of a variable again.
    if (char === '(' && (this.#word !== undefined || this.#text[at + 1] === '(')) this.isCertain = false;
    if (char === ' ' || char === '\t' || char === '\r') this.#endWord();
    else if (';&|\n()'.includes(char)) this.#endCommand(at);
    else this.#add(char);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #escape(next: string | undefined): void {
    this.#at += 2;
    if (next === undefined) this.isCertain = false;
    else if (next !== '\n') this.#add(next);
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #singleQuoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) this.isCertain = false;
    const close = end === -1 ? this.#text.length : end;
    this.#add(this.#text.slice(this.#at + 1, close));
    this.#at = close + 1;
  }

  #doubleQuoted(): void {
    this.#at += 1;
    this.#add('');
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        this.isCertain = false;
        return;
      }
      if (char === '"') {
        this.#at += 1;
        return;
      }
      if (char === '$') this.#dollar();
      else if (char === '`') this.#backquoted();
      else if (char === '\\' && '"\\$`\n'.includes(this.#text[this.#at + 1] ?? ' ')) {
        this.#escape(this.#text[this.#at + 1]);
      } else {
        this.#add(char);
        this.#at += 1;
      }
    }
  }

  /** Keeps an expansion in the word as written, and reads the commands inside it. */
  #dollar(): void {
    const next = this.#text[this.#at + 1];
    if (next === "'" || next === '"' || next === '[') this.isCertain = false;
    if (next === '(' && this.#text[this.#at + 2] === '(') this.#skipTo('))', PLAIN_ARITHMETIC);
    else if (next === '{') this.#skipTo('}', PLAIN_PARAMETER);
    else if (next === '(') this.#nested(this.#at + 2);
    else {
      this.#add('$');
      this.#at += 1;
    }
  }

  /**
   * Keeps arithmetic and `${…}` as written. Only the plainest forms are certain: all others can be made to run a
   * command.
   */
  #skipTo(end: string, plain: RegExp): void {
    const close = this.#text.indexOf(end, this.#at);
    const stop = close === -1 ? this.#text.length : close + end.length;
    const whole = this.#text.slice(this.#at, stop);
    if (!plain.test(whole)) this.isCertain = false;
    this.#add(whole);
    this.#at = stop;
  }

  #nested(start: number): void {
    const end = endOfParenthesis(this.#text, start);
    if (end === undefined) this.isCertain = false;
    const stop = end ?? this.#text.length;
    this.#readInside(this.#text.slice(start, stop));
    this.#add(this.#text.slice(this.#at, stop + 1));
    this.#at = stop + 1;
  }

  #backquoted(): void {
    const match = /^`((?:[^`\\]|\\[\s\S])*)`/.exec(this.#text.slice(this.#at));
    if (match === null) this.isCertain = false;
    const whole = match?.[0] ?? this.#text.slice(this.#at);
    this.#readInside((match?.[1] ?? whole.slice(1)).replace(/\\([`\\$])/g, '$1'));
    this.#add(whole);
    this.#at += whole.length;
  }

  #readInside(text: string): void {
    const inner = new LineReader(text, this.#depth + 1);
    inner.readAll();
    this.commands.push(...inner.commands);
    if (!inner.isCertain) this.isCertain = false;
  }

  #redirection(): void {
    const [operator = '>'] = /^(?:&>>?|<<<|<<-?|<>|<&|>&|>>|>\||<|>)/.exec(this.#text.slice(this.#at)) ?? [];
    if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
    this.#endWord();
    this.#at += operator.length;
    if ((operator === '<' || operator === '>') && this.#text[this.#at] === '(') {
      this.#nested(this.#at + 1);
      return;
    }
    if (operator === '<<' || operator === '<<-') this.isCertain = false;
    this.#redirects = operator.includes('>');
    this.#duplicates = operator === '>&';
    if (!this.#redirects) return;
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (word === undefined) return;
    if (!this.#redirects) {
      this.#current.words.push(word);
      return;
    }
    this.#redirects = false;
    const isDescriptor = this.#duplicates && /^\d+-?$|^-$/.test(word);
    if (word !== '/dev/null' && !isDescriptor) this.#current.writes.push(word);
  }

  #endCommand(end = this.#text.length): void {
    this.#endWord();
    const source = this.#text.slice(this.#startedAt, end).trim();
    this.#startedAt = this.#at;
    if (this.#redirects) this.isCertain = false;
    this.#redirects = false;
    const { words, writes } = this.#current;
    this.#current = { words: [], writes: [] };
    const command = withoutReservedWords(words);
    if (UNFOLLOWED.has(command[0] ?? '')) this.isCertain = false;
    if (command[0] === 'for') {
      // After a redirection, `for` is not a reserved word.
      if (!PLAIN_LOOP_VARIABLE.test(command[1] ?? '') || writes.length > 0) this.isCertain = false;
      return;
    }
    if (command.length === 0 && writes.length === 0) return;
    this.commands.push({ words: command, writes, source });
  }
}

const LEADING = new Set([
  'if',
  'then',
  'else',
  'elif',
  'while',
  'until',
  'do',
  '!',
  '{',
  '}',
  'fi',
  'done',
  'time',
]);
const UNFOLLOWED = new Set(['case', 'esac', 'function', 'select', 'coproc', '[[']);

/**
 * A loop variable that cannot change the environment. `for x in a b` runs nothing itself, but it assigns: a name such
 * as `PATH` may be an environment variable, and those contain capitals or underscores.
 */
const PLAIN_LOOP_VARIABLE = /^[a-z][a-z0-9]*$/;

function withoutReservedWords(words: readonly string[]): string[] {
  const start = words.findIndex((word, index) => !LEADING.has(word) && !isTimeOption(words, index));
  return start === -1 ? [] : words.slice(start);
}

function isTimeOption(words: readonly string[], index: number): boolean {
  return words[index - 1] === 'time' && words[index] === '-p';
}

/** Returns the end of the parenthesis opened before `start`. Skips quotes and nested parentheses. */
function endOfParenthesis(text: string, start: number): number | undefined {
  let open = 1;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === "'") at = indexOrEnd(text, "'", at + 1);
    else if (char === '"') at = endOfDoubleQuote(text, at + 1);
    else if (char === '(') open += 1;
    else if (char === ')' && --open === 0) return at;
  }
  return undefined;
}

function endOfDoubleQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
    else if (text[at] === '$' && text[at + 1] === '(') at = endOfParenthesis(text, at + 2) ?? text.length;
  }
  return text.length;
}

function indexOrEnd(text: string, piece: string, from: number): number {
  const index = text.indexOf(piece, from);
  return index === -1 ? text.length : index;
}
