import type { Message } from '@longhaul/protocol';
import type { TokenCounter } from '../tokens.ts';
import { type CurrentRequest, currentRequest } from './current-request.ts';
import { DONE, EVENTS, type LedgerFacts, type Section, STATE, TODO } from './event-sections.ts';
import { exactNamesIn } from './exact-names.ts';
import { withHelpers } from './helper-files.ts';
import { instructionSection } from './instruction-section.ts';
import { keptSection, keptTokens } from './kept-facts.ts';
import { createLedgerFold, type LedgerFold } from './ledger-facts.ts';
import { foldMessage } from './ledger-fold.ts';
import { candidatesFor, type NamedFiles, nameSections } from './name-sections.ts';
import { rankNames } from './rank-names.ts';
import { sameFiles } from './same-files.ts';

/** The size of a ledger, and what it is made from. */
export interface LedgerOptions {
  /** The most tokens of the ledger. */
  maxTokens: number;
  count: TokenCounter;
  /** Ids of messages that stay verbatim in the view. The ledger leaves out their text. */
  verbatim?: ReadonlySet<string>;
  /** The view shows all messages from this sequence on. Names that are mentioned last in one of them rank lower. */
  visibleFrom?: number;
  /** The current request is a message that the ledger has not read. */
  isAskedLater?: boolean;
  /** The most tokens of the facts that the model keeps, which come first. Default: their share of `maxTokens`. */
  keptTokens?: number;
}

const EVENTS_SHARE = EVENTS.reduce((sum, { share }) => sum + share, 0);
/** The state of the work has so many tokens also in a small ledger, up to a quarter of it. */
const STATE_TOKENS = 400;
const STATE_MOST_SHARE = 0.25;
const REQUEST_SHARE = 0.15;
const LONG_REQUEST_CHARS = 1_000;
const INSTRUCTIONS_SHARE = 0.25;
/** A longer index would bury the rest of a summary, and hardly more of its names are needed again. */
const MAX_NAMES_TOKENS = 12_000;
/** Share that instructions always leave for names. */
const NAMES_SHARE = 0.55;

/**
 * Returns the facts of the work so far as Markdown that people can read too. They are computed from the log alone. No
 * older summary is read, so the facts do not decay over rounds.
 */
export function buildLedger(messages: readonly Message[], options: LedgerOptions): string {
  const fold = createLedgerFold();
  for (const message of messages) foldMessage(fold, message);
  return renderLedger(fold, options);
}

/**
 * Renders the ledger of a fold. Each section has a share of the tokens. Tokens that a section leaves over go to a todo
 * list or instructions that are longer than their share, then to names.
 */
export function renderLedger(collected: LedgerFold, options: LedgerOptions): string {
  const { count, verbatim, visibleFrom = Number.POSITIVE_INFINITY } = options;
  const { files: known, keyOf } = sameFiles(collected.files);
  const fold = { ...collected, files: withHelpers(known, collected.commands) };
  const kept =
    fold.kept &&
    keptSection(fold.kept, { maxTokens: options.keptTokens ?? keptTokens(options.maxTokens), count });
  const maxTokens = Math.max(0, options.maxTokens - tokensOf([kept]));
  const { leading, request, done, events, tokens } = fixedSections(fold, {
    ...options,
    maxTokens,
    visibleFrom,
  });
  const leftTokens = maxTokens - tokens;
  const names = rankNames(fold.names, { visibleFrom, most: candidatesFor(maxTokens) });
  const named = { files: fold.files, keyOf, names };
  const instructions = instructionsWithin(leftTokens, fold, {
    ...options,
    maxTokens,
    named,
    verbatim: new Set([...(verbatim ?? []), ...(request?.messageIds ?? [])]),
  });
  const texts = { leading: textsOf([...leading, kept]), events: textsOf([...events, instructions]) };
  const shown = exactNamesIn([...texts.leading, ...texts.events, ...textsOf([done])].join('\n'));
  const room = { maxTokens: Math.min(MAX_NAMES_TOKENS, leftTokens - tokensOf([instructions])), count };
  const { changed, files, others } = nameSections({ ...named, shown }, room);
  return [...texts.leading, ...textsOf([done]), ...changed, ...texts.events, ...files, ...others].join(
    '\n\n',
  );
}

interface FixedSections {
  /** What comes first, in its order. */
  leading: Filled[];
  request: CurrentRequest | undefined;
  done: Filled;
  events: Filled[];
  /** Of all of them. */
  tokens: number;
}

/** The sections whose share does not depend on the names. */
function fixedSections(
  fold: LedgerFacts,
  { maxTokens, count, verbatim, isAskedLater, visibleFrom }: LedgerOptions & { visibleFrom: number },
): FixedSections {
  const requestTokens = Math.floor(maxTokens * REQUEST_SHARE);
  const request =
    isAskedLater === true
      ? undefined
      : currentRequest(fold.instructions, { verbatim, maxTokens: requestTokens, count });
  const place = { maxTokens, count, visibleFrom };
  const leastState = Math.min(STATE_TOKENS, Math.floor(maxTokens * STATE_MOST_SHARE));
  const moreTokens = Math.max(0, leastState - Math.floor(maxTokens * STATE.share));
  const state = fill(STATE, fold, { ...place, moreTokens });
  const events = EVENTS.map((section) => fill(section, fold, place));
  const spare = Math.floor(maxTokens * EVENTS_SHARE) - tokensOf(events);
  const todo = fill(TODO, fold, { ...place, moreTokens: spare });
  const done = fill(DONE, fold, place);
  // A long request, such as one with a pasted log, would move the state out of sight.
  const isLong = (request?.text.length ?? 0) > LONG_REQUEST_CHARS;
  const leading = [...(isLong ? [state, request] : [request, state]), todo];
  return { leading, request, done, events, tokens: tokensOf([...leading, done, ...events]) };
}

type Filled = { readonly text: string; readonly tokens: number } | undefined;

function tokensOf(sections: readonly Filled[]): number {
  return sections.reduce((sum, section) => sum + (section?.tokens ?? 0), 0);
}

function textsOf(sections: readonly Filled[]): string[] {
  return sections.flatMap((section) => (section === undefined ? [] : [section.text]));
}

/**
 * Instructions that don't fit beside the share of files and names get the part of it that files and names don't need.
 */
function instructionsWithin(
  leftTokens: number,
  { instructions }: LedgerFacts,
  { maxTokens, count, verbatim, named }: LedgerOptions & { named: NamedFiles },
): Filled {
  if (instructions.every(({ messageId }) => verbatim?.has(messageId))) return undefined;
  const within = (most: number, share: number) =>
    instructionSection(instructions, { verbatim, maxTokens: most, shareTokens: share, count });
  const namesTokens = Math.floor(maxTokens * NAMES_SHARE);
  const shareTokens = Math.floor(maxTokens * INSTRUCTIONS_SHARE);
  const least = Math.max(shareTokens, leftTokens - namesTokens);
  const section = within(least, shareTokens);
  if (section?.isWhole === true) return section;
  const most = leftTokens - nameSections(named, { maxTokens: namesTokens, count }).tokens;
  return most > least ? within(most, most) : section;
}

/** Tokens of the line that counts the missing lines, and of the blank line after a section. */
const MORE_TOKENS = 16;

interface FillOptions {
  /** Tokens of the whole ledger. */
  maxTokens: number;
  /** Tokens that the section may use beyond its share. */
  moreTokens?: number;
  count: TokenCounter;
  visibleFrom: number;
}

/** Returns a heading with the lines that fit below it; undefined if none fits. */
function fill(
  { heading, share, lines: linesOf }: Section,
  fold: LedgerFacts,
  { maxTokens, moreTokens = 0, count, visibleFrom }: FillOptions,
): Filled {
  const shareTokens = Math.floor(maxTokens * share);
  const lines = linesOf(fold, { tokens: shareTokens, count, visibleFrom });
  const kept = [`### ${heading}`];
  let tokens = count(`### ${heading}\n\n`) + MORE_TOKENS;
  for (const line of lines) {
    const cost = count(line) + 1;
    if (tokens + cost > shareTokens + moreTokens) break;
    kept.push(line);
    tokens += cost;
  }
  const missing = lines.length - (kept.length - 1);
  if (kept.length === 1) return undefined;
  if (missing > 0) kept.push(`(and ${missing} more; recall finds them)`);
  const text = kept.join('\n');
  return { text, tokens: count(`${text}\n\n`) };
}
