import type { IncomingMessage } from 'node:http';
import type { SummaryReply } from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';
import { readChunk } from '../proxy/chunk-facts.ts';
import { isRecord } from '../wire/is-record.ts';
import { SseReader } from '../wire/sse-reader.ts';

/** A summary has some kilobytes. */
export const MAX_SUMMARY_BYTES = 8 << 20;

export function isSummaryStream(answer: IncomingMessage): boolean {
  return /event-stream/.test(answer.headers['content-type'] ?? '');
}

/**
 * Reads the streamed answer of a compacting model. A stream that breaks off after some text counts as cut off by its
 * length, so that its whole sentences are used.
 *
 * @param failed Converts an error event to a reply.
 * @throws The error of a stream that breaks off before any text.
 */
export async function readSummary(
  answer: IncomingMessage,
  failed: (body: string) => SummaryReply,
): Promise<SummaryReply> {
  const said: Said = { text: '', finish: undefined };
  const reader = new SseReader();
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_SUMMARY_BYTES) throw tooLarge();
      for (const { data, name } of reader.push(chunk)) {
        const facts = data === undefined ? undefined : readChunk(data, name);
        if (facts?.isError === true) return failed(`data: ${data}`);
        if (facts === undefined) continue;
        said.text += facts.text;
        said.finish ??= facts.finishReason;
      }
    }
  } catch (thrown) {
    if (said.text === '') throw thrown;
  }
  return replyWith(said.text, said.finish ?? 'length');
}

interface Said {
  text: string;
  finish: string | undefined;
}

/** Reads the whole answer of a server that does not stream. */
export function readWholeSummary(text: string): SummaryReply {
  const choice = firstChoice(text);
  if (choice === undefined)
    return { status: 'failed', reason: 'the compacting model sent an unreadable answer' };
  const message = isRecord(choice['message']) ? choice['message'] : {};
  const content = message['content'];
  return replyWith(typeof content === 'string' ? content : '', choice['finish_reason']);
}

function replyWith(text: string, finish: unknown): SummaryReply {
  return { status: 'ok', text, finishedBy: finish === 'stop' || finish === 'length' ? finish : 'other' };
}

function firstChoice(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const choices = isRecord(json) ? json['choices'] : undefined;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    return isRecord(choice) ? choice : undefined;
  } catch {
    return undefined;
  }
}

function tooLarge(): LonghaulError {
  const message = `The summary is larger than ${MAX_SUMMARY_BYTES} bytes, the most that the gateway reads.`;
  return new LonghaulError('provider_bad_response', message);
}
