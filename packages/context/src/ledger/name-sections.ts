import type { TokenCounter } from '../tokens.ts';
import { buildFileTree, MIN_NAME_CHARS } from './file-tree.ts';
import type { FileFact } from './ledger-facts.ts';
import type { RankedName } from './rank-names.ts';
import type { SameFiles } from './same-files.ts';
import type { FileTree } from './tree-lines.ts';

export interface NamedFiles {
  files: ReadonlyMap<string, FileFact>;
  keyOf: SameFiles['keyOf'];
  /** In order of worth, highest first; see `rankNames`. */
  names: readonly RankedName[];
  /** Names that other sections show. */
  shown?: ReadonlySet<string>;
}

export interface NameSections {
  changed: string[];
  files: string[];
  others: string[];
  /** Tokens of all, the blank lines between sections included. */
  tokens: number;
}

/** Characters of a token in the first attempt. */
const CHARS_PER_TOKEN = 4;
/** Share of the tokens that may stay unused. */
const MAX_UNUSED = 0.015;
/** Names that are tried for each name that could fit: many are a part of another one, or of a path. */
const TRIED = 4;

/** Returns how many names {@link nameSections} needs. A session may have far more than a ledger can show. */
export function candidatesFor(maxTokens: number): number {
  return Math.ceil((TRIED * maxTokens * CHARS_PER_TOKEN) / MIN_NAME_CHARS);
}

/**
 * Returns the sections of files and names within `maxTokens`. The tree is built for a number of characters. Texts
 * differ in how many characters a token has, so that number is adjusted until most of the tokens are used.
 */
export function nameSections(
  named: NamedFiles,
  { maxTokens, count }: { maxTokens: number; count: TokenCounter },
): NameSections {
  let best: NameSections = { changed: [], files: [], others: [], tokens: 0 };
  let maxChars = maxTokens * CHARS_PER_TOKEN;
  for (let attempt = 0; attempt < 6 && maxChars > 80; attempt += 1) {
    const sections = toSections(buildFileTree({ ...named, maxChars }));
    const tokens = count([...sections.changed, ...sections.files, ...sections.others].join('\n\n')) + 2;
    if (tokens <= maxTokens) {
      if (tokens <= best.tokens) break;
      best = { ...sections, tokens };
      if (tokens >= maxTokens * (1 - MAX_UNUSED)) break;
    }
    maxChars *= Math.min(tokens > maxTokens ? 0.97 : 2, (maxTokens / tokens) * 0.99);
  }
  return best;
}

function toSections({ changed, files, others }: FileTree): Omit<NameSections, 'tokens'> {
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`### ${heading}\n${lines.join('\n')}`];
  return {
    changed: section('Files changed, newest first', changed),
    files: section('Index of names by file', files),
    others: section('Other names', others),
  };
}
