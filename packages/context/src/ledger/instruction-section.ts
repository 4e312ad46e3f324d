import type { TokenCounter } from '../tokens.ts';
import { isAcknowledgement } from './acknowledgement.ts';
import { cutLongest, MIN_TOKENS, taskTokens } from './instruction-cut.ts';
import { type Line, type Room, wholeLine } from './instruction-line.ts';
import { noteAbout } from './instruction-note.ts';
import type { InstructionFact } from './ledger-facts.ts';

export interface InstructionOptions {
  /** Ids of messages that stay in the view. */
  verbatim?: ReadonlySet<string> | undefined;
  /** The most tokens of the section. */
  maxTokens: number;
  /**
   * The section's own share of `maxTokens`. Excerpts of long instructions fill it. Tokens beyond it are only used for
   * more whole instructions.
   */
  shareTokens: number;
  count: TokenCounter;
}

export interface InstructionSection {
  text: string;
  tokens: number;
  /** Whether it has every hidden instruction word for word. */
  isWhole: boolean;
}

const HEADING = '### User instructions (verbatim)';

/**
 * Returns the user's instructions that the view no longer shows, oldest first and word for word. A short answer has the
 * question that it answers. Acknowledgements of nothing, and instructions that a later one repeats, are left out.
 * Undefined if there are none, or if no line fits.
 *
 * If they don't all fit, the section is shortened in this order:
 * 1. The longest instructions are cut at the end of a sentence.
 * 2. The oldest instructions are left out.
 *
 * The session's first instruction is its task. It stays whole if it fits alone, and is the last one to be left out. A
 * note shows how many instructions are left out, and their handles.
 */
export function instructionSection(
  instructions: readonly InstructionFact[],
  { verbatim, maxTokens, shareTokens, count }: InstructionOptions,
): InstructionSection | undefined {
  const hidden = instructions.filter(({ messageId }) => verbatim?.has(messageId) !== true);
  const headTokens = count(`${HEADING}\n\n\n`);
  const room = { tokens: maxTokens - headTokens, shareTokens: shareTokens - headTokens, count };
  const minor = minorIn(instructions, hidden);
  if (minor.size === hidden.length) return undefined;
  const whole = wholeLines(hidden, minor, { ...room, tokens: room.shareTokens });
  const lines = whole ?? shortenedLines({ instructions, hidden, minor }, room);
  if (lines.length === 0) return undefined;
  const text = [HEADING, ...lines].join('\n');
  return { text, tokens: count(`${text}\n\n`), isWhole: whole !== undefined };
}

/** All lines, or undefined if they don't fit. Stops counting as soon as they don't. */
function wholeLines(
  hidden: readonly InstructionFact[],
  minor: ReadonlySet<InstructionFact>,
  room: Room,
): string[] | undefined {
  const lines: Line[] = [];
  let tokens = 0;
  for (const fact of hidden) {
    if (minor.has(fact)) continue;
    const line = wholeLine(fact, room);
    tokens += line.tokens;
    if (tokens > room.tokens) return undefined;
    lines.push(line);
  }
  const texts = [...lines.map(({ text }) => text), ...noteAbout(hidden, inOrder(hidden, minor), lines)];
  const all = texts.reduce((sum, text) => sum + room.count(text) + 1, 0);
  return all <= room.tokens ? texts : undefined;
}

function inOrder(
  hidden: readonly InstructionFact[],
  some: ReadonlySet<InstructionFact>,
): readonly InstructionFact[] {
  return hidden.filter((fact) => some.has(fact));
}

/**
 * Returns the hidden instructions that are acknowledgements, or repetitions of a later or visible one. The session's
 * first instruction is neither.
 */
function minorIn(
  instructions: readonly InstructionFact[],
  hidden: readonly InstructionFact[],
): ReadonlySet<InstructionFact> {
  const [task] = instructions;
  const isHidden = new Set(hidden);
  const seen = new Set(instructions.filter((fact) => fact === task || !isHidden.has(fact)).map(keyOf));
  const minor = new Set<InstructionFact>();
  for (const fact of hidden.toReversed()) {
    if (fact === task) continue;
    const key = keyOf(fact);
    if (seen.has(key) || (fact.answers === undefined && isAcknowledgement(fact.text))) minor.add(fact);
    seen.add(key);
  }
  return minor;
}

/** Tokens for the note about the instructions that are left out. */
const NOTE_TOKENS = 64;

interface Instructions {
  /** All, the visible ones too. */
  instructions: readonly InstructionFact[];
  hidden: readonly InstructionFact[];
  minor: ReadonlySet<InstructionFact>;
}

function shortenedLines(all: Instructions, room: Room): string[] {
  const { hidden } = all;
  const [task] = all.instructions;
  const lines = selectLines(all, room);
  // An instruction that is older than all that are shown is left out for its age.
  const oldest = lines.find(({ fact }) => fact !== task)?.fact;
  const minor = inOrder(oldest === undefined ? [] : hidden.slice(hidden.indexOf(oldest)), all.minor);
  const shown = cutLongest(lines, task, {
    ...room,
    tokens: room.tokens - NOTE_TOKENS,
    shareTokens: room.shareTokens - NOTE_TOKENS,
  });
  for (;;) {
    const texts = [...shown.map(({ text }) => text), ...noteAbout(hidden, minor, shown)];
    const tokens = texts.reduce((sum, text) => sum + room.count(text) + 1, 0);
    if (tokens <= room.tokens) return texts;
    if (shown.length === 0) return [];
    const first = shown.findIndex(({ fact }) => fact !== task);
    shown.splice(Math.max(0, first), 1);
  }
}

/** Returns the task and the newest instructions, oldest first. Each has room for at least `MIN_TOKENS`. */
function selectLines({ instructions, hidden, minor }: Instructions, room: Room): Line[] {
  const [task] = instructions;
  const taskLines = hidden.filter((fact) => fact === task).map((fact) => wholeLine(fact, room));
  const newest: Line[] = [];
  let leastTokens = taskLines.reduce((sum, line) => sum + taskTokens(line, room.tokens), NOTE_TOKENS);
  for (const fact of hidden.toReversed()) {
    if (fact === task || minor.has(fact)) continue;
    const line = wholeLine(fact, room);
    leastTokens += Math.min(line.tokens, MIN_TOKENS);
    if (leastTokens > room.tokens) break;
    newest.push(line);
  }
  return [...taskLines, ...newest.reverse()];
}

/** For a text of megabytes, a key without its blanks takes seconds and a gigabyte. */
const MAX_KEY_CHARS = 10_000;

/**
 * Returns a key that is equal for instructions that differ only in case, blanks and full stops. A longer text is its own
 * key.
 */
function keyOf({ text, answers = '' }: InstructionFact): string {
  if (text.length > MAX_KEY_CHARS) return `${answers} ${text}`;
  return `${answers} ${text}`
    .toLowerCase()
    .replace(/[\s.!]+/g, ' ')
    .trim();
}
