import type { NamedSizes } from '@longhaul/context';
import { mapProviderError } from './map-provider-error.ts';

/**
 * Returns the sizes that a server named if it refused a request as too long, for `learnRefusal` of a context session.
 * Undefined for any other failure. Knows the texts of all providers.
 *
 * @param error What the clients of OpenAI and Anthropic, the AI SDK or LangChain throw.
 * @example
 * const refusal = tooLongRefusal(error);
 * if (refusal === undefined) throw error;
 * session.learnRefusal(refusal);
 */
export function tooLongRefusal(error: unknown): NamedSizes | undefined {
  if (!(error instanceof Error)) return undefined;
  const last = fieldOf(error, 'lastError');
  // The AI SDK throws an error around the last of several tries.
  if (last instanceof Error && last !== error) return tooLongRefusal(last);
  const status = [fieldOf(error, 'status'), fieldOf(error, 'statusCode')].map(numberIn).find(isKnown);
  const body = bodyOf(error);
  const { code, data } = mapProviderError({
    provider: 'the server',
    model: '',
    message: error.message,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body }),
  });
  if (code !== 'context_overflow') return undefined;
  return { windowTokens: numberIn(data['windowTokens']), requestTokens: numberIn(data['requestTokens']) };
}

/** The AI SDK keeps the body as text. OpenAI's client keeps its field `error`, and Anthropic's the whole body. */
function bodyOf(error: Error): string | undefined {
  const text = fieldOf(error, 'responseBody');
  if (typeof text === 'string') return text;
  const body = fieldOf(error, 'error');
  if (typeof body !== 'object' || body === null) return undefined;
  return JSON.stringify('error' in body ? body : { error: body });
}

function fieldOf(error: Error, name: string): unknown {
  return Reflect.get(error, name);
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function isKnown(value: number | undefined): boolean {
  return value !== undefined;
}
