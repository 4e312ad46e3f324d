import type { ServerTool } from '../tools/server-tool.ts';

const IN_NAME = 4;
const IN_DESCRIPTION = 2;
const IN_PARAMETERS = 1;
/** A word that only begins like a word of the query counts half. */
const BEGINS = 0.5;
const MIN_PREFIX_CHARS = 3;
const IS_NAMED = 1_000;

/** Returns the tools that a query means, the best first. A name of a tool in the query finds this tool. */
export function searchTools(tools: readonly ServerTool[], query: string): ServerTool[] {
  const wanted = [...new Set(wordsOf(query))];
  const named = new Set(query.toLowerCase().split(/[^\w-]+/));
  const indexed = tools.map((tool) => ({ tool, words: indexOf(tool) }));
  const weights = wanted.map((word) => {
    const found = indexed.filter(({ words }) => weightIn(words, word) > 0).length;
    return Math.log(1 + tools.length / (1 + found));
  });
  const scored = indexed.map(({ tool, words }) => {
    const score = wanted.reduce((sum, word, index) => sum + weightIn(words, word) * (weights[index] ?? 0), 0);
    return { tool, score: score + (named.has(tool.name.toLowerCase()) ? IS_NAMED : 0) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
}

/** The words of a tool with their weights. */
function indexOf({ name, schema }: ServerTool): ReadonlyMap<string, number> {
  const { properties } = schema.parameters;
  const parameters = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return new Map([
    ...wordsOf(parameters.join(' ')).map((word) => [word, IN_PARAMETERS] as const),
    ...wordsOf(schema.description).map((word) => [word, IN_DESCRIPTION] as const),
    ...wordsOf(name).map((word) => [word, IN_NAME] as const),
  ]);
}

function weightIn(words: ReadonlyMap<string, number>, wanted: string): number {
  const exact = words.get(wanted);
  if (exact !== undefined) return exact;
  if (wanted.length < MIN_PREFIX_CHARS) return 0;
  let best = 0;
  for (const [word, weight] of words) {
    const isLike = word.startsWith(wanted) || (word.length >= MIN_PREFIX_CHARS && wanted.startsWith(word));
    if (isLike) best = Math.max(best, weight * BEGINS);
  }
  return best;
}

/** Words of names in any style, in lower case. */
function wordsOf(text: string): string[] {
  const spaced = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
}
