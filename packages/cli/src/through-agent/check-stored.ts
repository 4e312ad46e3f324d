import { type BlobStore, sanitizeToolResult } from '@longhaul/core';
import { type Message, parseBlobReference, type ToolOutputContent, type ToolPart } from '@longhaul/protocol';
import {
  CUT_CALL_SUFFIX,
  END_OF_RECORDING,
  type PlayedStep,
  type PlayedUser,
  type RecordedPlay,
  SHORTENED_MARK,
} from '@longhaul/replay';
import { recordedResult } from './recorded-tools.ts';

/** What the store holds of a recorded session after it was played. */
export interface StoredCheck {
  /** Recorded messages that are stored once, whole and in their place. */
  messages: number;
  calls: number;
  /** Calls with the recorded result, in the message or, where that was cut, behind its handle. */
  results: number;
  /** Of these results, those that are cut in the message. */
  truncated: number;
  /** Answers that were begun, cut off by the window, and given again whole. */
  cutAnswers: number;
  /** Answers no window of this size could hold. */
  shortened: number;
  /** Queued messages that were taken together with others. */
  coalesced: number;
  /** What is not as recorded, in words; the first of them. */
  problems: string[];
}

const MAX_PROBLEMS = 5;

/**
 * The id under which a recorded user message is queued: unique in the store, however often a recording is played into
 * it.
 */
export function queuedId(sessionId: string, recordedId: string): string {
  return `${sessionId}:${recordedId}`;
}

/** Compares the stored session with the recording, message by message. */
export async function checkStored(
  stored: readonly Message[],
  play: RecordedPlay,
  blobs: BlobStore,
): Promise<StoredCheck> {
  const checker = new StoredChecker(blobs);
  checker.users(stored, play.users);
  await checker.steps(stored, play.steps);
  return checker.result;
}

class StoredChecker {
  readonly #blobs: BlobStore;
  readonly result: StoredCheck = {
    messages: 0,
    calls: 0,
    results: 0,
    truncated: 0,
    cutAnswers: 0,
    shortened: 0,
    coalesced: 0,
    problems: [],
  };

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  users(stored: readonly Message[], users: readonly PlayedUser[]): void {
    const sessionId = stored[0]?.sessionId ?? '';
    const places = new Map<string, Message[]>();
    for (const message of stored) {
      const ids = message.metadata?.originalMessages ?? [];
      if (ids.length > 1) this.result.coalesced += ids.length;
      for (const id of ids) places.set(id, [...(places.get(id) ?? []), message]);
    }
    for (const { id, content } of users) {
      const [place, ...others] = places.get(queuedId(sessionId, id)) ?? [];
      const text = place === undefined ? '' : textOf(place);
      const isWhole = content.every((part) => part.type !== 'text' || text.includes(part.text));
      if (place === undefined) this.#problem(`user message ${id} is not stored`);
      else if (others.length > 0) this.#problem(`user message ${id} is stored ${others.length + 1} times`);
      else if (!isWhole) this.#problem(`user message ${id} is stored with another text`);
      else this.result.messages += 1;
    }
  }

  async steps(stored: readonly Message[], steps: readonly PlayedStep[]): Promise<void> {
    const answers = stored.filter((message) => message.role === 'assistant');
    const whole = answers.filter((message) => !isCut(message) && textOf(message) !== END_OF_RECORDING);
    this.result.cutAnswers = answers.filter(isCut).length;
    if (whole.length !== steps.length)
      this.#problem(`${whole.length} answers are stored, ${steps.length} were recorded`);
    for (const [index, step] of steps.entries()) await this.#step(step, whole[index]);
  }

  async #step(step: PlayedStep, message: Message | undefined): Promise<void> {
    const calls = message?.parts.filter((part) => part.type === 'tool') ?? [];
    const isShortened = message !== undefined && JSON.stringify(message.parts).includes(SHORTENED_MARK);
    const isSame =
      message !== undefined &&
      calls.map((call) => call.callId).join(' ') === step.calls.map((call) => call.callId).join(' ') &&
      (isShortened ||
        (textOf(message) === step.text && calls.every((call, at) => hasInputOf(call, step.calls[at]))));
    if (isSame) this.result.messages += 1;
    else this.#problem(`answer ${step.id} is not stored as it was recorded`);
    if (isShortened) this.result.shortened += 1;
    for (const [at, call] of step.calls.entries()) await this.#call(call, calls[at]);
  }

  async #call(recorded: ToolPart, stored: ToolPart | undefined): Promise<void> {
    this.result.calls += 1;
    const isRefused = recorded.inputText !== undefined;
    const expected = outputText(sanitizeToolResult(recordedResult(recorded).content));
    const found = stored === undefined ? undefined : await this.#fullOutput(stored);
    if (stored === undefined || (!isRefused && found !== expected))
      return this.#problem(`call ${recorded.callId} does not have the recorded result`);
    this.result.results += 1;
    if (stored.truncated === true) this.result.truncated += 1;
  }

  async #fullOutput(part: ToolPart): Promise<string> {
    const blobId = part.fullOutput === undefined ? undefined : parseBlobReference(part.fullOutput);
    if (blobId !== undefined) return new TextDecoder().decode(await this.#blobs.get(blobId));
    return outputText(part.output ?? []);
  }

  #problem(text: string): void {
    if (this.result.problems.length < MAX_PROBLEMS) this.result.problems.push(text);
  }
}

/** Begun and cut off: by its calls' ids, or, without any, by how it ended. */
function isCut({ parts, finishReason }: Message): boolean {
  const calls = parts.filter((part) => part.type === 'tool');
  if (calls.length === 0) return finishReason === 'length';
  return calls.some((call) => call.callId.includes(CUT_CALL_SUFFIX));
}

function hasInputOf(stored: ToolPart, recorded: ToolPart | undefined): boolean {
  if (recorded?.inputText !== undefined) return stored.inputText === recorded.inputText;
  return JSON.stringify(stored.input) === JSON.stringify(recorded?.input);
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function outputText(output: readonly ToolOutputContent[]): string {
  return output.map((content) => (content.type === 'text' ? content.text : '')).join('\n');
}
