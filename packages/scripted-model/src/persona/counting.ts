import { isRecord } from '../is-record.ts';

/** The template around a message, and its tokens. The counts are those of the chat endpoint. */
const OPEN = '<|im_start|>';
const CLOSE = '<|im_end|>\n';
const MESSAGE_TOKENS = 4;
const PRIMING_TOKENS = 3;

/**
 * llama.cpp's endpoints for counting: `/apply-template` turns messages into a prompt, `/tokenize` turns a text into
 * tokens.
 */
export function countingReports(
  countTokens: (text: string) => number,
): Record<string, (body: unknown) => unknown> {
  return {
    'POST /apply-template': (body) => ({ prompt: template(isRecord(body) ? body['messages'] : []) }),
    'POST /tokenize': (body) => {
      const length = tokens(isRecord(body) ? String(body['content']) : '', countTokens);
      return { tokens: Array.from({ length }, (_, index) => index) };
    },
  };
}

function template(messages: unknown): string {
  const list = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const wrapped = list.map(({ role, content }) => `${OPEN}${role}\n${text(content)}${CLOSE}`);
  return `${wrapped.join('')}${OPEN}assistant\n`;
}

function text(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function tokens(prompt: string, countTokens: (text: string) => number): number {
  const [first = '', ...messages] = prompt.split(OPEN);
  const counted = messages.map((message) => {
    const body = message.slice(message.indexOf('\n') + 1);
    return message.endsWith(CLOSE)
      ? MESSAGE_TOKENS + countTokens(body.slice(0, -CLOSE.length))
      : PRIMING_TOKENS;
  });
  return counted.reduce((sum, count) => sum + count, countTokens(first));
}
