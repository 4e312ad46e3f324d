import type { PromptArgument } from '@modelcontextprotocol/sdk/types.js';

/** `name=value`, or a value; values with blanks are quoted. */
const WORD = /(?:([\w-]+)=)?(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+))/g;

/**
 * Reads the words after the name of a prompt. `name=value` gives a value to the argument of this name. Other words are the
 * values of the remaining arguments in their order, and the last one gets all words that are left.
 */
export function promptArguments(
  words: string,
  declared: readonly Pick<PromptArgument, 'name'>[],
): Record<string, string> {
  const names = new Set(declared.map(({ name }) => name));
  const given = new Map<string, string>();
  const free: string[] = [];
  for (const [whole, name, double, single, plain = ''] of words.matchAll(WORD)) {
    const value = double?.replaceAll(/\\(.)/g, '$1') ?? single ?? plain;
    if (name === undefined) free.push(value);
    else if (names.has(name)) given.set(name, value);
    else free.push(whole);
  }
  const open = declared.filter(({ name }) => !given.has(name));
  for (const [index, { name }] of open.entries()) {
    const value = index === open.length - 1 ? free.slice(index).join(' ') : free[index];
    if (value !== undefined && value !== '') given.set(name, value);
  }
  return Object.fromEntries(given);
}
