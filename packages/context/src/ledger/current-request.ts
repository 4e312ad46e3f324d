import { cutAtSentences } from '../cut-at-sentences.ts';
import type { TokenCounter } from '../tokens.ts';
import { isAcknowledgement, isThanks } from './acknowledgement.ts';
import { instructionLine, MAX_CHARS_PER_TOKEN } from './instruction-line.ts';
import type { InstructionFact } from './ledger-facts.ts';
import { REQUEST_HEADING } from './ledger-sections.ts';
import { requestExcerpt } from './request-excerpt.ts';

export interface CurrentRequest {
  text: string;
  tokens: number;
  /** Ids of the messages that the section shows. */
  messageIds: ReadonlySet<string>;
}

interface CurrentRequestOptions {
  /** Ids of messages that stay in the view. */
  verbatim?: ReadonlySet<string> | undefined;
  maxTokens: number;
  count: TokenCounter;
}

const HEADING = `### ${REQUEST_HEADING}`;
const MAX_OTHERS = 4;
const EXCERPT_CHARS = 240;
/** A shorter answer means nothing without what precedes the question. */
const MIN_WORDS = 4;

/**
 * Returns the section with the newest instruction, and with the short messages after it, but no thanks. An instruction that the view
 * shows is cut. Undefined if there is none, or if it does not fit. Of the messages after it, the newest fit first.
 */
export function currentRequest(
  instructions: readonly InstructionFact[],
  { verbatim, maxTokens, count }: CurrentRequestOptions,
): CurrentRequest | undefined {
  const index = Math.max(0, instructions.findLastIndex(isRequest));
  const request = instructions[index];
  if (request === undefined) return undefined;
  const isShown = verbatim?.has(request.messageId) === true;
  const heading = isShown ? HEADING : `${HEADING} (verbatim)`;
  const later = instructions.slice(index + 1);
  const thanks = later.filter(({ text }) => isThanks(text));
  const after = later.filter((fact) => verbatim?.has(fact.messageId) !== true && !thanks.includes(fact));
  const context = contextLines(instructions.slice(0, index), request);
  for (let others = after.slice(-MAX_OTHERS); ; others = others.slice(1)) {
    const lines = [...context, ...others.map((fact) => instructionLine(fact))];
    const room = maxTokens - (lines.length === 0 ? 0 : count(lines.join('\n')) + 1);
    const head = isShown
      ? `- (${request.handle}, in this conversation) ${requestExcerpt(request.text, EXCERPT_CHARS)}`
      : whole(request, room, count);
    const text = [heading, head, ...lines].join('\n');
    const tokens = head === undefined ? Number.POSITIVE_INFINITY : count(`${text}\n\n`);
    if (tokens <= maxTokens)
      return {
        text,
        tokens,
        messageIds: new Set([request, ...others, ...thanks].map(({ messageId }) => messageId)),
      };
    if (others.length === 0) return undefined;
  }
}

const AGAIN =
  /\b(?:again|retry|continue|resume|proceed|where were we|left off|(?:go|carry|keep) (?:on|going))\b/i;
const MIN_TASK_CHARS = 80;

/** What a short request means: what the model wrote before it, or the task that it asks to continue. */
function contextLines(earlier: readonly InstructionFact[], { text, about }: InstructionFact): string[] {
  const task =
    text.length < MIN_TASK_CHARS && AGAIN.test(text)
      ? (earlier.findLast((fact) => fact.text.length >= MIN_TASK_CHARS) ?? earlier.at(-1))
      : undefined;
  return [
    ...(about === undefined ? [] : [`  (the model before it: ${about})`]),
    ...(task === undefined
      ? []
      : [`  (the task before it, ${task.handle}: ${requestExcerpt(task.text, EXCERPT_CHARS)})`]),
  ];
}

/** Whether a message asks for something, also without the question that it answers. */
function isRequest({ text, answers }: InstructionFact): boolean {
  const isLong = answers === undefined || text.trim().split(/\s+/).length >= MIN_WORDS;
  return isLong && !isAcknowledgement(text);
}

/** Tokens of the heading and of the note about a cut. */
const FRAME_TOKENS = 48;

function whole(fact: InstructionFact, maxTokens: number, count: TokenCounter): string | undefined {
  const most = maxTokens - FRAME_TOKENS;
  const isTooLong = fact.text.length > most * MAX_CHARS_PER_TOKEN;
  const tokens = isTooLong ? fact.text.length : count(fact.text);
  if (tokens <= most) return instructionLine(fact);
  for (let share = most / tokens; share > 0.01; share *= 0.8) {
    const cut = cutAtSentences(fact.text.trim(), Math.floor(fact.text.length * share), fact.handle);
    if (cut === undefined) return undefined;
    const line = instructionLine({ ...fact, text: cut });
    if (count(line) <= most) return line;
  }
  return undefined;
}
