import type { ServerResponse } from 'node:http';
import { ERROR_TRAITS, LonghaulError } from '@longhaul/protocol';
import { PromptTooLong } from '../engine/engine.ts';

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Sends a failure as llama.cpp's server does. In a stream that has begun, it is the last event. */
export function sendFailure(response: ServerResponse, thrown: unknown): void {
  const { status, error } = failureOf(thrown);
  if (!response.headersSent) sendJson(response, status, { error });
  else if (!response.writableEnded) response.end(`data: ${JSON.stringify({ error })}\n\n`);
}

function failureOf(thrown: unknown): { status: number; error: object } {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof PromptTooLong) {
    const { promptTokens, windowTokens } = thrown;
    const type = 'exceed_context_size_error';
    return {
      status: 400,
      error: { code: 400, message, type, n_prompt_tokens: promptTokens, n_ctx: windowTokens },
    };
  }
  if (thrown instanceof LonghaulError) {
    const { code } = thrown;
    const { status } = ERROR_TRAITS[code];
    return { status, error: { code: status, message, type: code } };
  }
  return { status: 400, error: { code: 400, message, type: 'invalid_request_error' } };
}
