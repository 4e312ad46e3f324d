import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionRequest, ChatFinishReason } from '@longhaul/protocol';
import type { Fault } from './fault.ts';

/**
 * `answering`: in progress. `overflow`: refused because of its size. `rejected`: refused with another error, or the
 * script threw. `fault`: a fault was produced. `client-gone`: the client disconnected before the end.
 */
export type RequestOutcome = 'answering' | 'answered' | 'overflow' | 'rejected' | 'fault' | 'client-gone';

/** One chat request and its outcome. */
export interface RequestRecord {
  /** 1, 2, 3… */
  readonly number: number;
  /** The request's headers about its client and content. Never the API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined until it is read, if it cannot be parsed, and if bodies are not kept. */
  body?: ChatCompletionRequest;
  messageCount: number;
  /** Whether it asked for a summary in the provider's own form. */
  isCompaction?: boolean;
  /** Whether it asked for the title of a session. Such a request is in no list. */
  isTitle?: boolean;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  /** Tokens of messages that the server silently dropped from the prompt. */
  droppedTokens?: number;
  outcome: RequestOutcome;
  /** HTTP status; 0 before there is one. */
  status: number;
  errorCode?: string;
  finishReason?: ChatFinishReason;
  fault?: Fault['kind'];
}

export interface ScriptedModelStats {
  requests: number;
  /** Number of requests that were refused because of their size. */
  overflows: number;
  /** Sums over requests that were answered, completely or in part. */
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
}

export function newRecord(number: number, headers: IncomingHttpHeaders): RequestRecord {
  return {
    number,
    headers: publicHeaders(headers),
    messageCount: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    outcome: 'answering',
    status: 0,
  };
}

/** Takes a record out of a list, so that later requests get its number. */
export function forgetIn(records: RequestRecord[]): (record: RequestRecord) => void {
  return (record) => void records.splice(records.indexOf(record), 1);
}

export function statsOf(records: readonly RequestRecord[]): ScriptedModelStats {
  const answered = records.filter((record) => record.status === 200);
  const sum = (pick: (record: RequestRecord) => number) =>
    answered.reduce((total, record) => total + pick(record), 0);
  return {
    requests: records.length,
    overflows: records.filter((record) => record.outcome === 'overflow').length,
    promptTokens: sum((record) => record.promptTokens),
    cachedTokens: sum((record) => record.cachedTokens),
    completionTokens: sum((record) => record.completionTokens),
  };
}

function publicHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const isPublic = (name: string) =>
    ['accept', 'content-type', 'user-agent'].includes(name) || name.startsWith('x-stainless-');
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      isPublic(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
