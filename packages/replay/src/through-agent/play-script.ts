import { SUMMARY_INSTRUCTION } from '@longhaul/context';
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

/** What the model says when it is asked on behind the recording's end. */
export const END_OF_RECORDING = '[The recording ends here.]';

/** Marks a call that was begun and cut off by the window; the whole call comes in a later answer. */
export const CUT_CALL_SUFFIX = '~cut';

/** Stands where a text was shortened, because no window of this size could hold the answer. */
export const SHORTENED_MARK = '[… left out: the recorded answer is larger than the window …]';

const NARRATIVE =
  'The recorded session went on as its messages show. What was done so far stands in the ledger; the work goes on from there.';

/** So often an answer that does not fit is begun and cut; after that it is shortened. */
const MAX_CUTS = 2;

/** What a model may be sure to find free in an empty window, as a share of it. */
const MOST_OF_WINDOW = 0.5;

/**
 * The model's side of a recorded session: answers each request with the recorded step that comes next.
 *
 * Its place follows from the newest answer that the request shows: a request that is sent again gets the same answer. Where a compaction
 * hides all answers, or has cut the newest, it goes on behind the last one it gave. An answer larger than its room is sent again whole, once
 * it has been cut; one that no window of this size could hold is shortened.
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

/** Which step comes next. */
class Place {
  readonly #steps: readonly PlayedStep[];
  readonly #stepOfCall: ReadonlyMap<string, number>;
  #last = -1;
  #lastRequest = '';
  /** Of the step that comes next. */
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

  /** The step that the request's newest answer is; undefined when it is a summary, or cannot be told. */
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

/** Two requests whose last message is the same, an id of a call included, are one that was sent again. */
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

/** The server cuts it where its room ends. Its calls have ids of their own: those of the recording are for the whole ones. */
function asCut(reply: Reply, attempt: number): ScriptReply {
  const toolCalls = reply.toolCalls.map((call) => ({
    ...call,
    id: `${call.id}${CUT_CALL_SUFFIX}${attempt}`,
  }));
  return { ...reply, toolCalls };
}

/** Cuts the longest texts, all to one length, and leaves out reasoning, until the answer fits. */
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
    // The recorded model's arguments were no JSON either.
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
