import type { ErrorCode } from '@longhaul/protocol';
import type { NetworkFailure } from './network-failure.ts';

/** What a failure below HTTP is called, and what to do about it. `at` names provider and address. */
export function networkVerdict(
  { kind, code }: NetworkFailure,
  at: string,
  provider: string,
): { code: ErrorCode; message: string } {
  if (kind === 'timeout') {
    const message = `${at} did not answer in time (${code}). Try again; for a slow local server raise retry.stallMs in longhaul.yml.`;
    return { code: 'provider_timeout', message };
  }
  if (kind === 'cut') {
    const message = `${at} ended its answer in the middle (${code}).`;
    return { code: 'provider_stream_cut', message };
  }
  if (kind === 'blocked') {
    const message = `${at} is on a port that fetch never calls (${code}): the web's standard blocks it. Let the server listen on another port, and set providers.${provider}.baseUrl (or --base-url).`;
    return { code: 'provider_bad_request', message };
  }
  if (kind === 'redirects') {
    const message = `${at} sends requests round in a circle (${code}). Check providers.${provider}.baseUrl (or --base-url), and http against https.`;
    return { code: 'provider_bad_request', message };
  }
  const advice = `Check that the server runs and that providers.${provider}.baseUrl (or --base-url) is right.`;
  return { code: 'provider_unreachable', message: `Cannot reach ${at} (${code}). ${advice}` };
}
