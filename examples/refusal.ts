import type { NamedSizes } from '@longhaul/context';
import { mapProviderError } from '@longhaul/models';

/** A failed request, as clients describe it. */
export interface FailedRequest {
  status: number | undefined;
  /** The body of the server's answer. */
  body: string | undefined;
  message: string;
}

/**
 * Returns the sizes that a server named if it refused a request as too long, for `session.learnRefusal`. Undefined for
 * any other failure. `mapProviderError` knows the texts of all providers.
 */
export function tooLongRefusal({ status, body, message }: FailedRequest): NamedSizes | undefined {
  const { code, data } = mapProviderError({
    provider: 'the server',
    model: '',
    message,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body }),
  });
  if (code !== 'context_overflow') return undefined;
  return { windowTokens: numberIn(data['windowTokens']), requestTokens: numberIn(data['requestTokens']) };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
