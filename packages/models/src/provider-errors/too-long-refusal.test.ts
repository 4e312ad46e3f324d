import { describe, expect, it } from 'vitest';
import { tooLongRefusal } from './too-long-refusal.ts';

const OPENAI = {
  message:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  code: 'context_length_exceeded',
};
const ANTHROPIC = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
};

function thrown(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}

describe('tooLongRefusal', () => {
  const aiSdk = thrown('Bad request', { statusCode: 400, responseBody: JSON.stringify({ error: OPENAI }) });

  it.each([
    ["OpenAI's client", thrown(`400 ${OPENAI.message}`, { status: 400, error: OPENAI }), 8192, 9000],
    ["Anthropic's client", thrown('400', { status: 400, error: ANTHROPIC }), 200_000, 210_000],
    ['the AI SDK', aiSdk, 8192, 9000],
    ['the AI SDK after several tries', thrown('Failed after 3 attempts', { lastError: aiSdk }), 8192, 9000],
  ])('reads the sizes in an error of %s', (_, error, windowTokens, requestTokens) => {
    expect(tooLongRefusal(error)).toEqual({ windowTokens, requestTokens });
  });

  it.each([
    ['another refusal', thrown('401 Wrong key', { status: 401, error: { message: 'Wrong key' } })],
    ['a failure of the network', new TypeError('fetch failed')],
    ['a value that is no error', 'context_length_exceeded'],
    ['nothing', undefined],
  ])('returns undefined for %s', (_, error) => {
    expect(tooLongRefusal(error)).toBeUndefined();
  });
});
