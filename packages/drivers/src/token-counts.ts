import type { StepRequest } from '@longhaul/core';
import { isTokenCount } from '@longhaul/models';
import { isObject } from '@longhaul/protocol';
import { type Aside, pick } from './aside.ts';
import type { ProviderKind } from './wire-profile.ts';

const ANTHROPIC_FIELDS = ['model', 'system', 'messages', 'tools', 'tool_choice', 'thinking'];
const OPENAI_FIELDS = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
];

const CHAT_FIELDS = ['model', 'messages', 'tools', 'tool_choice', 'chat_template_kwargs'];

/**
 * The operations that count the input of a request without making a model call. They cost nothing.
 *
 * https://platform.claude.com/docs/en/build-with-claude/token-counting,
 * https://developers.openai.com/api/reference/resources/responses/subresources/input_tokens/methods/count,
 * https://ai.google.dev/api/tokens
 */
export const TOKEN_COUNTS: Partial<Record<ProviderKind, Aside<number>>> = {
  anthropic: {
    of: (url, body) => ({ url: withPath(url, '/count_tokens'), body: pick(body, ANTHROPIC_FIELDS) }),
    read: (answer) => numberIn(answer, 'input_tokens'),
  },
  openai: {
    of: (url, body) => ({ url: withPath(url, '/input_tokens'), body: pick(body, OPENAI_FIELDS) }),
    read: (answer) => numberIn(answer, 'input_tokens'),
  },
  embedded: {
    of: (url, body) => ({ url: withPath(url, '/input_tokens'), body: pick(body, CHAT_FIELDS) }),
    read: (answer) => numberIn(answer, 'input_tokens'),
  },
  google: {
    of(url, body) {
      const path = url.replace(/:[^/]*$/, '');
      const model = path.slice(path.lastIndexOf('models/'));
      return { url: `${path}:countTokens`, body: { generateContentRequest: { model, ...body } } };
    },
    read: (answer) => numberIn(answer, 'totalTokens'),
  },
};

function withPath(url: string, path: string): string {
  const whole = new URL(url);
  whole.pathname += path;
  return String(whole);
}

function numberIn(answer: Parameters<Aside<number>['read']>[0], key: string): number | undefined {
  const value = isObject(answer) ? answer[key] : undefined;
  return isTokenCount(value) && value > 0 ? value : undefined;
}

/** A count must not delay a step for long: the estimate is good enough. */
const COUNT_MS = 5_000;

/** How a provider is asked to count. */
export interface TokenCounterParts {
  /** Makes the request ready, such as its pictures smaller. The step needs that too, so it is not limited in time. */
  prepare: (request: StepRequest) => Promise<StepRequest>;
  ask: (prepared: StepRequest, signal: AbortSignal) => Promise<number>;
}

/**
 * Creates a function that counts the input of a request. Undefined if the provider does not answer in time. After one
 * failure it is not asked again.
 */
export function createTokenCounter({
  prepare,
  ask,
}: TokenCounterParts): (request: StepRequest) => Promise<number | undefined> {
  let isAble = true;
  return async (request) => {
    if (!isAble) return undefined;
    try {
      const prepared = await prepare(request);
      return await ask(prepared, AbortSignal.any([request.signal, AbortSignal.timeout(COUNT_MS)]));
    } catch {
      isAble = request.signal.aborted;
      return undefined;
    }
  };
}
