import { SUMMARY_INSTRUCTION } from '@longhaul/context/engine';
import type { ChatMessage, JsonValue } from '@longhaul/protocol';
import {
  lastUserText,
  type Script,
  type ScriptReply,
  type ScriptRequest,
  textOf,
} from '@longhaul/scripted-model';
import { argumentsText } from '../importers/part-text.ts';
import type { PlayedStep, RecordedPlay } from './recorded-play.ts';

/** The model's answer to requests after the end of the recording. */
export const END_OF_RECORDING = '[The recording ends here.]';

/** Suffix of the id of a call that the window cut off. A later answer contains the complete call. */
export const CUT_CALL_SUFFIX = '~cut';

/** Replaces the omitted middle of a text in an answer that no window of this size can hold. */
export const SHORTENED_MARK = '[… left out: the recorded answer is larger than the window …]';

const NARRATIVE =
  'The recorded session continued as its messages show. The ledger lists the work so far; the work continues from there.';

/** How often an answer that does not fit is sent and cut off before it is shortened. */
const MAX_CUTS = 2;

/** Share of an empty window that is always free for an answer. */
const MOST_OF_WINDOW = 0.5;

/**
 * Plays the model of a recorded session: answers each request with the next recorded step.
 *
 * The next step follows the newest answer in the request, so a repeated request gets the same answer. If a compaction
 * hides all answers or has cut the newest one, the next step follows the last given answer. An answer larger than the
 * space for it is cut off, and then repeated complete; after `MAX_CUTS` cuts it is shortened to fit into an empty
 * window.
 */
export function playScript(play: RecordedPlay, options: { countTokens: (text: string) => number }): Script {
  const place = new Place(play.steps);
  return (request) => {
    if (lastUserText(request.messages).includes(SUMMARY_INSTRUCTION)) return NARRATIVE;
    const index = place.find(request.messages);
    const step = play.steps[index];
    if (step === undefined) return END_OF_RECORDING;
    const reply = toReply(step);
    if (repliedTokens(reply, options.countTokens) <= request.replyTokens) {
      place.gave(index, request.messages);
      return reply;
    }
    if (place.cuts < MAX_CUTS) {
      place.cuts += 1;
      return asCut(reply, place.cuts);
    }
    place.gave(index, request.messages);
    return shortened(reply, request, options.countTokens);
  };
}

/** Tracks the next step. */
class Place {
  readonly #steps: readonly PlayedStep[];
  readonly #stepOfCall: ReadonlyMap<string, number>;
  #last = -1;
  #lastRequest = '';
  /** How often the next step was cut off. */
  cuts = 0;

  constructor(steps: readonly PlayedStep[]) {
    this.#steps = steps;
    this.#stepOfCall = new Map(
      steps.flatMap((step, index) => step.calls.map((call) => [call.callId, index] as const)),
    );
  }

  find(messages: readonly ChatMessage[]): number {
    const shown = this.#newestShown(messages.findLast((message) => message.role === 'assistant'));
    if (shown !== undefined) return shown + 1;
    return keyOf(messages) === this.#lastRequest ? this.#last : this.#last + 1;
  }

  gave(index: number, messages: readonly ChatMessage[]): void {
    this.#last = index;
    this.#lastRequest = keyOf(messages);
    this.cuts = 0;
  }

  /** Returns the step of the request's newest answer. Undefined if the answer is a summary or matches no step. */
  #newestShown(answer: ChatMessage | undefined): number | undefined {
    if (answer === undefined) return undefined;
    const [call] = answer.tool_calls ?? [];
    if (call !== undefined) return this.#stepOfCall.get(call.id);
    const text = textOf(answer);
    return [this.#last, this.#last - 1].find((index) => {
      const step = this.#steps[index];
      return step !== undefined && step.calls.length === 0 && step.text === text;
    });
  }
}

/**
 * Identifies a request. A request with the same number of messages and the same last message, ids included, is a
 * repeated one.
 */
function keyOf(messages: readonly ChatMessage[]): string {
  return `${messages.length} ${JSON.stringify(messages.at(-1))}`;
}

type Reply = Required<Pick<ScriptReply, 'text' | 'reasoning'>> & {
  toolCalls: { id: string; name: string; arguments: string }[];
};

function toReply({ text, reasoning, calls }: PlayedStep): Reply {
  const toolCalls = calls.map((call) => ({
    id: call.callId,
    name: call.name,
    arguments: argumentsText(call),
  }));
  return { text, reasoning, toolCalls };
}

function repliedTokens({ text, reasoning, toolCalls }: Reply, count: (text: string) => number): number {
  const calls = toolCalls.map((call) => count(call.name) + count(call.arguments));
  return calls.reduce((sum, tokens) => sum + tokens, count(text) + count(reasoning));
}

/**
 * Returns an answer that the server cuts off. Its calls have new ids, because the recorded ids are for the complete
 * calls.
 */
function asCut(reply: Reply, attempt: number): ScriptReply {
  const toolCalls = reply.toolCalls.map((call) => ({
    ...call,
    id: `${call.id}${CUT_CALL_SUFFIX}${attempt}`,
  }));
  return { ...reply, toolCalls };
}

/** Cuts the longest texts to one length and removes the reasoning, so that the answer fits. */
function shortened(
  reply: Reply,
  { replyTokens, windowTokens }: ScriptRequest,
  count: (text: string) => number,
): ScriptReply {
  const room = Math.min(replyTokens, Math.floor(windowTokens * MOST_OF_WINDOW));
  let maxChars = room * 4;
  let next = cutReply(reply, maxChars);
  while (repliedTokens(next, count) > room && maxChars > 64) {
    maxChars = Math.floor(maxChars * 0.7);
    next = cutReply(reply, maxChars);
  }
  return next;
}

function cutReply({ text, toolCalls }: Reply, maxChars: number): Reply {
  return {
    reasoning: '',
    text: cutText(text, maxChars),
    toolCalls: toolCalls.map((call) => ({ ...call, arguments: cutArguments(call.arguments, maxChars) })),
  };
}

function cutArguments(text: string, maxChars: number): string {
  try {
    return JSON.stringify(cutStrings(JSON.parse(text), maxChars));
  } catch {
    // The recorded arguments are not JSON.
    return cutText(text, maxChars);
  }
}

function cutStrings(value: JsonValue, maxChars: number): JsonValue {
  if (typeof value === 'string') return cutText(value, maxChars);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, maxChars));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutStrings(item, maxChars)]));
}

function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  return `${text.slice(0, half)}\n${SHORTENED_MARK}\n${text.slice(text.length - half)}`.toWellFormed();
}
