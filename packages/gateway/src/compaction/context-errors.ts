import { LonghaulError } from '@longhaul/protocol';

export function tooLarge(tokens: number, limit: number): LonghaulError {
  const text = `The conversation still has ${tokens} tokens after compaction, and the window of ${limit} tokens leaves no room for an answer. Load the model with a larger window, or shorten the system text, the tools or the last message.`;
  return new LonghaulError('context_exhausted', text, { data: { tokens, limit } });
}

export function tooManyRestarts(restarts: number, tokens: number, limit: number): LonghaulError {
  const text = `The answer reached the end of the window, was continued ${restarts} times, and is still not finished. Ask for a shorter answer, or load the model with a window larger than ${limit} tokens.`;
  return new LonghaulError('context_exhausted', text, { data: { tokens, limit, restarts } });
}
