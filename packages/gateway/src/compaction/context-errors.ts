import { LonghaulError } from '@longhaul/protocol';

export function tooLarge(tokens: number, limit: number): LonghaulError {
  const text = `The conversation has ${tokens} tokens after all that could be left out, and the window of ${limit} leaves no room for an answer. Load the model with a larger window, or shorten system text, tools or the last message.`;
  return new LonghaulError('context_exhausted', text, { data: { tokens, limit } });
}

export function tooManyRestarts(restarts: number, tokens: number, limit: number): LonghaulError {
  const text = `The answer was stopped at the window's end and gone on with ${restarts} times, and is not finished. Ask for a shorter answer, or load the model with a larger window than ${limit} tokens.`;
  return new LonghaulError('context_exhausted', text, { data: { tokens, limit, restarts } });
}
