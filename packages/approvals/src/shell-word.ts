import { MAX_DEPTH, type ShellSource } from './shell-source.ts';

export interface ShellWord {
  /** Quotes and escapes removed, expansions as written. */
  text: string;
  /** Neither quoted nor escaped nor expanded. Only such a word can be a reserved word. */
  isLiteral: boolean;
  /** Whether the shell can turn it into another word or other words: by an expansion, a glob or braces. */
  expands: boolean;
}

/** Reads the commands of a substitution, which are part of a word. */
export interface SubstitutionReader {
  /** Reads from after the opening to after the closing parenthesis. */
  readInside(): void;
  /** Reads a text of its own. */
  readText(text: string): void;
}

/**
 * Reads a word. Undefined if there is none here.
 *
 * Every form that is not listed here makes the line uncertain, because the end of the word would be a guess.
 */
export function readWord(source: ShellSource, commands: SubstitutionReader): ShellWord | undefined {
  return new WordReader(source, commands).read();
}

/** The names that a shell expands without evaluating anything: `$x`, `$1`, `$?`. */
const PARAMETER = /\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y;
/** A parameter with a default, or without a prefix or suffix. No character in it can begin or end anything else. */
const BRACED_PARAMETER = /\$\{#?\w+(?:(?::?[-+?]|%%?|##?)[\w \t./:,%+=*?~-]*)?\}/y;
const ARITHMETIC = /\$\(\([\d \t+\-*/%]*\)\)/y;
/**
 * Backquotes whose end is not in doubt. With a comment or another escape inside, or double quotes inside of double
 * quotes, shells and versions of bash differ.
 */
const PLAIN_BACKQUOTES = /`(?:[^`\\#\n]|\\")*`/y;
const PLAIN_BACKQUOTES_IN_QUOTES = /`[^`\\#\n"]*`/y;
const BACKQUOTES = /`(?:[^`\\]|\\[\s\S])*`/y;
const LITERAL = /(?:[\w.,:@%+=/*?[\]{}~^!-]|[^\p{ASCII}\p{Z}\p{C}])+/uy;
const SINGLE_QUOTED = /'[^']*'/y;
const DOUBLE_QUOTED_TEXT = /[^"$`\\]+/y;
const GLOB_OR_BRACES = /[*?[{~]/;
const WORD_END = /[ \t\n;&|()]/;

class WordReader {
  readonly #source: ShellSource;
  readonly #commands: SubstitutionReader;
  #text: string | undefined;
  #isLiteral = true;
  #expands = false;

  constructor(source: ShellSource, commands: SubstitutionReader) {
    this.#source = source;
    this.#commands = commands;
  }

  read(): ShellWord | undefined {
    const source = this.#source;
    for (let char = source.char; char !== undefined && !this.#endsAt(char); char = source.char) {
      if (char === "'") this.#singleQuoted();
      else if (char === '"') this.#doubleQuoted();
      else if (char === '\\') this.#escaped();
      else if (char === '$' || char === '`') this.#expansion(char, false);
      else if (char === '<' || char === '>') this.#processSubstitution();
      else this.#literal();
    }
    if (this.#text === undefined) return undefined;
    return { text: this.#text, isLiteral: this.#isLiteral, expands: this.#expands };
  }

  #endsAt(char: string): boolean {
    if (char === '<' || char === '>') return !this.#source.startsWith(`${char}(`);
    return WORD_END.test(char) || (char === '#' && this.#text === undefined);
  }

  #add(text: string): void {
    this.#text = (this.#text ?? '') + text;
  }

  #literal(): void {
    const literal = this.#source.take(LITERAL);
    if (literal !== undefined) {
      if (GLOB_OR_BRACES.test(literal)) this.#expands = true;
      this.#add(literal);
      return;
    }
    const char = this.#source.char ?? '';
    // A blank of another script, which people take for the end of a word.
    if (char !== '#') this.#source.isCertain = false;
    this.#source.at += 1;
    this.#add(char);
  }

  #singleQuoted(): void {
    this.#isLiteral = false;
    const quoted = this.#source.take(SINGLE_QUOTED);
    if (quoted === undefined) this.#source.isCertain = false;
    this.#add(quoted?.slice(1, -1) ?? this.#source.takeRest().slice(1));
  }

  #escaped(): void {
    this.#isLiteral = false;
    const next = this.#source.text[this.#source.at + 1];
    // A line can continue between words only: inside of one, it can join an operator or an expansion.
    if (next === undefined || next === '\n') this.#source.isCertain = false;
    if (next !== undefined && next !== '\n') this.#add(next);
    this.#source.at += 2;
  }

  #doubleQuoted(): void {
    const source = this.#source;
    this.#isLiteral = false;
    this.#add('');
    source.at += 1;
    for (let char = source.char; char !== '"'; char = source.char) {
      if (char === undefined) {
        source.isCertain = false;
        return;
      }
      if (char === '$' || char === '`') this.#expansion(char, true);
      else if (char === '\\') this.#escapedInQuotes();
      else this.#add(source.take(DOUBLE_QUOTED_TEXT) ?? '');
    }
    source.at += 1;
  }

  #escapedInQuotes(): void {
    const next = this.#source.text[this.#source.at + 1] ?? '';
    if (next === '' || '"\\$`\n'.includes(next)) this.#escaped();
    else {
      this.#source.at += 1;
      this.#add('\\');
    }
  }

  /** Keeps an expansion in the word as written, and reads the commands inside it. */
  #expansion(char: '$' | '`', isQuoted: boolean): void {
    const source = this.#source;
    const start = source.at;
    this.#isLiteral = false;
    this.#expands = true;
    if (char === '`') this.#backquoted(isQuoted);
    else if ([ARITHMETIC, BRACED_PARAMETER, PARAMETER].every((form) => source.take(form) === undefined))
      this.#otherDollar(isQuoted);
    this.#add(source.text.slice(start, source.at));
  }

  /** A command substitution, or a `$` that stands for itself. All other forms are uncertain. */
  #otherDollar(isQuoted: boolean): void {
    const source = this.#source;
    const next = source.text[source.at + 1] ?? ' ';
    // Arithmetic with names, `${…}` that evaluates or assigns, another kind of quotes, a continued line.
    const isOther = source.startsWith('$((') || `{['\\`.includes(next) || (next === '"' && !isQuoted);
    if (isOther) source.isCertain = false;
    if (next === '(') this.#substitution();
    else source.at += 1;
  }

  #backquoted(isQuoted: boolean): void {
    const source = this.#source;
    const plain = source.take(isQuoted ? PLAIN_BACKQUOTES_IN_QUOTES : PLAIN_BACKQUOTES);
    if (plain === undefined) source.isCertain = false;
    const whole = plain ?? source.take(BACKQUOTES) ?? `${source.takeRest()}\``;
    this.#commands.readText(whole.slice(1, -1).replace(/\\([`\\$"])/g, '$1'));
  }

  /** A process substitution: `<(…)` or `>(…)`. */
  #processSubstitution(): void {
    const start = this.#source.at;
    // It is a part of the word before it.
    if (this.#text !== undefined || this.#source.text[start + 2] === '(') this.#source.isCertain = false;
    this.#isLiteral = false;
    this.#expands = true;
    this.#substitution();
    this.#add(this.#source.text.slice(start, this.#source.at));
  }

  /** Reads from before the parenthesis to after its end, with the same reader as the line. */
  #substitution(): void {
    const source = this.#source;
    source.at += 2;
    if (source.depth >= MAX_DEPTH) {
      source.isCertain = false;
      return;
    }
    this.#commands.readInside();
  }
}
