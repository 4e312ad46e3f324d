import type { ErrorCode } from '@longhaul/protocol';
import type { NetworkFailure } from './network-failure.ts';

/** Returns the error code and the message for a failure below HTTP. `at` names the provider and the address. */
export function networkVerdict(
  { kind, code }: NetworkFailure,
  at: string,
  provider: string,
): { code: ErrorCode; message: string } {
  if (kind === 'timeout') {
    const message = `${at} did not answer in time (${code}). Try again. For a slow local server, raise retry.stallMs in longhaul.yml.`;
    return { code: 'provider_timeout', message };
  }
  if (kind === 'cut') {
    const message = `${at} closed the connection in the middle of its answer (${code}).`;
    return { code: 'provider_stream_cut', message };
  }
  if (kind === 'blocked') {
    const message = `${at} is on a port that fetch blocks (${code}), as the Fetch standard requires. Let the server listen on another port, and change baseUrl of the provider ${provider}.`;
    return { code: 'provider_bad_request', message };
  }
  if (kind === 'redirects') {
    const message = `${at} redirects requests in a loop (${code}). Check baseUrl of the provider ${provider}, and whether it needs http or https.`;
    return { code: 'provider_bad_request', message };
  }
  const advice = `Check that the server runs and that baseUrl of the provider ${provider} is right.`;
  return { code: 'provider_unreachable', message: `Cannot reach ${at} (${code}). ${advice}` };
}
