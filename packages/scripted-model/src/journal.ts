import type { IncomingHttpHeaders } from 'node:http';
import type { ChatCompletionRequest, ChatFinishReason } from '@longhaul/protocol';
import type { Fault } from './fault.ts';

/**
 * `answering`: not over yet. `overflow`: refused for its size. `rejected`: any other error that the request deserved, or a script that
 * threw. `fault`: what was ordered to go wrong did. `client-gone`: the client left before the end.
 */
export type RequestOutcome = 'answering' | 'answered' | 'overflow' | 'rejected' | 'fault' | 'client-gone';

/** One chat request as it was received, and what became of it. */
export interface RequestRecord {
  /** 1, 2, 3… */
  readonly number: number;
  /** Those of the request that say who asks for what; never the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent while it is not read, if it could not be parsed, and if bodies are not kept. */
  body?: ChatCompletionRequest;
  messageCount: number;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  /** Of messages that the server left out of the prompt, silently. */
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
  /** Requests refused for their size. */
  overflows: number;
  /** Of requests that were answered, in whole or in part. */
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
