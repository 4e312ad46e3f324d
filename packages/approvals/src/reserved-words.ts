import type { ShellWord } from './shell-word.ts';

const BEFORE_COMMANDS = new Set([
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

/** Returns how many words at the beginning are reserved words before a command, with the options of `time`. */
export function countReservedWords(words: readonly ShellWord[]): number {
  const start = words.findIndex((word, index) => {
    return !(word.isLiteral && (BEFORE_COMMANDS.has(word.text) || isTimeOption(words, index)));
  });
  return start === -1 ? words.length : start;
}

function isTimeOption(words: readonly ShellWord[], index: number): boolean {
  const [before, word] = [words[index - 1]?.text, words[index]?.text];
  return (word === '-p' && before === 'time') || (word === '--' && (before === 'time' || before === '-p'));
}

/** Whether the first word begins a compound command that the parser does not follow. */
export function isUnfollowed([first]: readonly ShellWord[]): boolean {
  return UNFOLLOWED.has(literal(first));
}

export function isLoopHead([first]: readonly ShellWord[]): boolean {
  return literal(first) === 'for';
}

/**
 * Whether it is `for x in …`, which only assigns `x`. Without `in`, the rest would be the first command of the loop.
 */
export function isPlainLoopHead([, variable, keyword]: readonly ShellWord[]): boolean {
  return PLAIN_LOOP_VARIABLE.test(literal(variable)) && literal(keyword) === 'in';
}

/** Returns the text of a word that is not quoted. A quoted word is never a reserved word. */
function literal(word: ShellWord | undefined): string {
  return word?.isLiteral ? word.text : '';
}
