import { countReservedWords, isLoopHead, isPlainLoopHead, isUnfollowed } from './reserved-words.ts';
import { MAX_DEPTH, ShellSource } from './shell-source.ts';
import { readWord, type ShellWord, type SubstitutionReader } from './shell-word.ts';

/** One command of a shell line, with its redirections. */
export interface ParsedCommand {
  /** Quotes and escapes removed. */
  words: string[];
  /** For each word, whether the shell can turn it into another word or other words. */
  expands: boolean[];
  /** Targets of output redirections, except other descriptors and the null device. */
  writes: string[];
  /** Targets of input redirections, except other descriptors: files, and the texts of here-strings. */
  inputs: string[];
  /** The command as written in the line, with quotes. */
  source: string;
}

export interface ParsedLine {
  /** Every simple command, including those in `$(…)`, backquotes, subshells and process substitutions. */
  commands: ParsedCommand[];
  /** False unless every character of the line belongs to a form that this parser knows. */
  isCertain: boolean;
}

/**
 * Splits a shell line into its simple commands. Runs nothing and expands nothing.
 *
 * One reader reads the line from left to right, also inside substitutions, so there is no second opinion on where a
 * substitution ends. Only listed forms are certain. After any other, it continues with its best guess, for rules that
 * restrict.
 */
export function parseShellLine(line: string): ParsedLine {
  return parseText(line, 0);
}

function parseText(text: string, depth: number): ParsedLine {
  if (depth > MAX_DEPTH) return { commands: [], isCertain: false };
  return new LineReader(new ShellSource(text, depth)).readAll();
}

const BLANKS = /[ \t]+/y;
/** A line that continues with a blank or a word: nothing that could join an operator before it. */
const CONTINUATION = /\\\n(?=[ \t\w./'"$-])/y;
const COMMENT = /#[^\n]*/y;
const SEPARATOR = /&&|\|\||\|&|;[;&]+|[;&|\n]/y;
const REDIRECTION = /&>>?|(?:\d+|\{[^\s;&|()<>'"\\$`]*\})?(?:<<<|<<-?|<>|<&|>&|>>|>\||<(?!\()|>(?!\())/y;
const HERE_DOCUMENT = /(?<!<)<<-?$/;
const DESCRIPTOR = /^(?:\d+-?|-)$/;
/** bash opens a network connection for these paths. */
const NETWORK_PATH = /^\/dev\/(?:tcp|udp)\//;

/** A command that is being read. */
interface Draft {
  startedAt: number;
  words: ShellWord[];
  writes: string[];
  inputs: string[];
  /** How many words precede the first redirection. Words after it are never reserved words. */
  wordsBeforeRedirection: number | undefined;
}

class LineReader implements SubstitutionReader {
  readonly #source: ShellSource;
  readonly #commands: ParsedCommand[] = [];
  #draft: Draft;

  constructor(source: ShellSource) {
    this.#source = source;
    this.#draft = newDraft(source.at);
  }

  readAll(): ParsedLine {
    this.#readCommands();
    while (this.#source.char !== undefined) {
      // A parenthesis that was never opened.
      this.#source.isCertain = false;
      this.#source.at += 1;
      this.#draft = newDraft(this.#source.at);
      this.#readCommands();
    }
    return { commands: this.#commands, isCertain: this.#source.isCertain };
  }

  readInside(): void {
    const source = this.#source;
    const outer = this.#draft;
    source.depth += 1;
    this.#draft = newDraft(source.at);
    this.#readCommands();
    if (source.char === undefined) source.isCertain = false;
    else source.at += 1;
    source.depth -= 1;
    this.#draft = outer;
  }

  readText(text: string): void {
    const { commands, isCertain } = parseText(text, this.#source.depth + 1);
    this.#commands.push(...commands);
    if (!isCertain) this.#source.isCertain = false;
  }

  /** Reads up to a closing parenthesis or the end of the text. */
  #readCommands(): void {
    const source = this.#source;
    for (let char = source.char; char !== undefined && char !== ')'; char = source.char) {
      if (!this.#skip()) this.#readPart(char);
    }
    this.#endCommand(source.at);
  }

  /** Skips blanks, a continued line or a comment. */
  #skip(): boolean {
    const source = this.#source;
    if (source.take(BLANKS) !== undefined || source.take(CONTINUATION) !== undefined) return true;
    if (source.take(COMMENT) === undefined) return false;
    // Older versions of bash look for the end of a substitution without reading its commands.
    if (source.depth > 0) source.isCertain = false;
    return true;
  }

  #readPart(char: string): void {
    const operator = this.#source.take(REDIRECTION);
    if (operator !== undefined) this.#redirect(operator);
    else if (char === '(') this.#subshell();
    else if (!this.#separate()) this.#readWord();
  }

  #readWord(): void {
    const word = readWord(this.#source, this);
    if (word !== undefined) this.#draft.words.push(word);
  }

  #separate(): boolean {
    const end = this.#source.at;
    const separator = this.#source.take(SEPARATOR);
    if (separator === undefined) return false;
    if (separator.startsWith(';') && separator !== ';') this.#source.isCertain = false;
    this.#endCommand(end);
    return true;
  }

  #subshell(): void {
    const source = this.#source;
    const { words, wordsBeforeRedirection } = this.#draft;
    const isFirst = countReservedWords(words) === words.length && wordsBeforeRedirection === undefined;
    // After a word, it is a function, an array or a pattern. `((` starts arithmetic, which evaluates values of
    // variables.
    if (!isFirst || source.startsWith('((') || source.depth >= MAX_DEPTH) source.isCertain = false;
    this.#endCommand(source.at);
    source.at += 1;
    if (source.depth < MAX_DEPTH) this.readInside();
    this.#draft = newDraft(source.at);
  }

  #redirect(operator: string): void {
    const source = this.#source;
    const draft = this.#draft;
    draft.wordsBeforeRedirection ??= draft.words.length;
    while (source.take(BLANKS) !== undefined || source.take(CONTINUATION) !== undefined);
    const target = readWord(source, this);
    // `{name}>` assigns, and a here-document is not followed.
    if (target === undefined || operator.startsWith('{') || HERE_DOCUMENT.test(operator))
      source.isCertain = false;
    if (target === undefined) return;
    if (operator.endsWith('&') && DESCRIPTOR.test(target.text)) return;
    if (operator.includes('>')) {
      if (target.text !== '/dev/null') draft.writes.push(target.text);
      return;
    }
    if (!operator.endsWith('<<<') && (target.expands || NETWORK_PATH.test(target.text)))
      source.isCertain = false;
    draft.inputs.push(target.text);
  }

  #endCommand(end: number): void {
    const { startedAt, words, writes, inputs, wordsBeforeRedirection } = this.#draft;
    this.#draft = newDraft(this.#source.at);
    const reserved = countReservedWords(words);
    const command = words.slice(reserved);
    if (isUnfollowed(command) || reserved > (wordsBeforeRedirection ?? reserved))
      this.#source.isCertain = false;
    if (isLoopHead(command)) {
      if (!isPlainLoopHead(command) || wordsBeforeRedirection !== undefined) this.#source.isCertain = false;
      return;
    }
    if (command.length === 0 && writes.length === 0 && inputs.length === 0) return;
    this.#commands.push({
      words: command.map(({ text }) => text),
      expands: command.map(({ expands }) => expands),
      writes,
      inputs,
      source: this.#source.text.slice(startedAt, end).trim(),
    });
  }
}

function newDraft(startedAt: number): Draft {
  return { startedAt, words: [], writes: [], inputs: [], wordsBeforeRedirection: undefined };
}
