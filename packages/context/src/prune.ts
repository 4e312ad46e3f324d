import { beginsTurn, isOpen, type Message, type ToolOutputContent } from '@longhaul/protocol';
import { type ActiveMarks, activeMarks, type ContextLog, partKey } from './log.ts';
import { estimateTokens, IMAGE_TOKENS } from './tokens.ts';
import { prunedPlaceholder } from './view.ts';

/** Tokens of the newest tool outputs that pruning never touches, and the fewest tokens that pruning must save. */
export const PRUNE_PROTECT = 40_000;
/** Tokens that pruning must save in a large window, so that it is worth another prompt. */
export const PRUNE_MINIMUM = 20_000;

/** The newest turns that pruning never touches. In a longer turn, only this many of its last steps are protected. */
const PROTECTED_STEPS = 2;
const PROTECTED_TURNS = 2;

/** The window, and which outputs pruning protects. */
export interface PruneOptions {
  windowTokens: number;
  /** Default: `PRUNE_PROTECT`, at most 20 % of the window. */
  protectTokens?: number;
  /** Default: `PRUNE_MINIMUM`, at most 10 % of the window. */
  minimumTokens?: number;
  /** Tools whose outputs are never pruned. */
  protectedTools?: ReadonlySet<string>;
}

/** The outputs that pruning hides. */
export interface PruneResult {
  /** Outputs to hide, oldest first. Empty if pruning would save too little. */
  targets: { messageId: string; partIndex: number }[];
  savedTokens: number;
}

/**
 * Chooses old tool outputs that placeholders replace.
 *
 * Walks backwards and protects the newest outputs and the last two turns. If the outputs of one of these turns alone
 * exceed the protected tokens, only its last two steps are protected: a session with a single prompt is pruned too.
 * Stops at a summary. Pruning twice finds nothing the second time.
 */
export function pruneOldToolOutputs(log: ContextLog, options: PruneOptions): PruneResult {
  const protectTokens =
    options.protectTokens ?? Math.min(PRUNE_PROTECT, Math.floor(options.windowTokens * 0.2));
  const minimumTokens =
    options.minimumTokens ?? Math.min(PRUNE_MINIMUM, Math.floor(options.windowTokens * 0.1));
  const marks = activeMarks(log.marks);
  const targets: PruneResult['targets'] = [];
  let seenTokens = 0;
  let savedTokens = 0;
  for (const message of prunableMessages(log.messages, marks, protectTokens)) {
    for (let index = message.parts.length - 1; index >= 0; index -= 1) {
      const cost = outputTokens(message, index, marks, options.protectedTools);
      if (cost === undefined) continue;
      seenTokens += cost.tokens;
      if (seenTokens <= protectTokens || cost.savedTokens <= 0) continue;
      targets.unshift({ messageId: message.id, partIndex: index });
      savedTokens += cost.savedTokens;
    }
  }
  return savedTokens >= minimumTokens && savedTokens > 0
    ? { targets, savedTokens }
    : { targets: [], savedTokens: 0 };
}

/** Newest first, without protected messages and without messages that a summary hides. */
function prunableMessages(
  messages: readonly Message[],
  marks: ActiveMarks,
  protectTokens: number,
): Message[] {
  const turns = turnsBackwards(messages, marks);
  return turns.flatMap((turn, index) => {
    if (index >= PROTECTED_TURNS) return turn;
    return turnOutputTokens(turn) > protectTokens ? turn.slice(PROTECTED_STEPS) : [];
  });
}

/** The steps of each turn back to the newest summary. The newest turn and its newest step come first. */
function turnsBackwards(messages: readonly Message[], marks: ActiveMarks): Message[][] {
  const turns: Message[][] = [[]];
  for (const message of messages.toReversed()) {
    if (marks.hidden.has(message.id)) break;
    if (message.role === 'assistant' && !marks.pinned.has(message.id)) turns.at(-1)?.push(message);
    else if (beginsTurn(message)) turns.push([]);
  }
  // A message without an answer is not a turn. Otherwise two of them would leave nothing protected.
  return turns.filter((turn) => turn.length > 0);
}

function turnOutputTokens(turn: readonly Message[]): number {
  const outputs = turn.flatMap((message) => message.parts).filter((part) => part.type === 'tool');
  return outputs.reduce((sum, part) => sum + contentTokens(part.output ?? []), 0);
}

/** An image counts as the tokens it costs. */
function contentTokens(output: readonly ToolOutputContent[]): number {
  return output.reduce(
    (sum, content) => sum + (content.type === 'text' ? estimateTokens(content.text) : IMAGE_TOKENS),
    0,
  );
}

function outputTokens(
  message: Message,
  index: number,
  marks: ActiveMarks,
  protectedTools: ReadonlySet<string> | undefined,
): { tokens: number; savedTokens: number } | undefined {
  const part = message.parts[index];
  // The output of a failed call counts too: failing commands print the most.
  if (part?.type !== 'tool' || part.output === undefined || isOpen(part)) return undefined;
  if (protectedTools?.has(part.name) === true || marks.pruned.has(partKey(message.id, index)))
    return undefined;
  const tokens = contentTokens(part.output);
  return { tokens, savedTokens: tokens - estimateTokens(prunedPlaceholder(message.sequence, index, part)) };
}
