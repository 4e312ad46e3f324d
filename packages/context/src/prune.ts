import { isOpen, type Message, type ToolOutputContent } from '@longhaul/protocol';
import { type ActiveMarks, activeMarks, type ContextLog, isUserMessage, partKey } from './log.ts';
import { estimateTokens, IMAGE_TOKENS } from './tokens.ts';
import { prunedPlaceholder } from './view.ts';

/** Tokens of the newest tool output that pruning never touches, and the least it must save to act. */
export const PRUNE_PROTECT = 40_000;
export const PRUNE_MINIMUM = 20_000;

/** Inside a longer turn, the last steps that pruning never touches; and the last turns. */
const PROTECTED_STEPS = 2;
const PROTECTED_TURNS = 2;

export interface PruneOptions {
  windowTokens: number;
  /** Default: `PRUNE_PROTECT`, at most 20 % of the window. */
  protectTokens?: number;
  /** Default: `PRUNE_MINIMUM`, at most 10 % of the window. */
  minimumTokens?: number;
  /** Tools whose outputs stay. */
  protectedTools?: ReadonlySet<string>;
}

export interface PruneResult {
  /** Outputs to hide, oldest first; empty when too little would be saved. */
  targets: { messageId: string; partIndex: number }[];
  savedTokens: number;
}

/**
 * Chooses old tool outputs to stand behind a placeholder.
 *
 * Walks backwards, protecting the newest outputs and the last two turns; of a turn whose outputs alone are more than what is
 * protected, only the last two steps, so that a session of one prompt is pruned too. Stops at a
 * summary. Pruning what is pruned finds nothing.
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

/** Newest first, without the protected ones and without what a summary hides. */
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

/** The steps of each turn, newest turn and newest step first, back to the newest summary. */
function turnsBackwards(messages: readonly Message[], marks: ActiveMarks): Message[][] {
  const turns: Message[][] = [[]];
  for (const message of messages.toReversed()) {
    if (marks.hidden.has(message.id)) break;
    if (message.role === 'assistant' && !marks.pinned.has(message.id)) turns.at(-1)?.push(message);
    else if (isUserMessage(message)) turns.push([]);
  }
  // A message that was never answered is no turn: two of them would leave nothing protected.
  return turns.filter((turn) => turn.length > 0);
}

function turnOutputTokens(turn: readonly Message[]): number {
  const outputs = turn.flatMap((message) => message.parts).filter((part) => part.type === 'tool');
  return outputs.reduce((sum, part) => sum + contentTokens(part.output ?? []), 0);
}

/** An image weighs what it costs, not what its name does. */
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
  // A failed call's output counts like any other: a command that fails prints the most.
  if (part?.type !== 'tool' || part.output === undefined || isOpen(part)) return undefined;
  if (protectedTools?.has(part.name) === true || marks.pruned.has(partKey(message.id, index)))
    return undefined;
  const tokens = contentTokens(part.output);
  return { tokens, savedTokens: tokens - estimateTokens(prunedPlaceholder(message.sequence, index, part)) };
}
