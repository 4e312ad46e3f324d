import { LonghaulError } from '@longhaul/protocol';
import type { GatewaySettings } from '../gateway-core.ts';
import type { UpstreamOptions } from '../options.ts';
import { Upstream } from './upstream.ts';

/**
 * Creates the upstreams, and decides which one gets the client's key. A client has one key, so it is meant for one
 * upstream at most: the only one, or the one that the configuration names. It is for none if it is the gateway's token.
 *
 * @throws {LonghaulError} `config_invalid` if several upstreams shall get the client's key.
 */
export function createUpstreams(
  upstreams: readonly UpstreamOptions[],
  { token }: Pick<GatewaySettings, 'token'>,
): Upstream[] {
  const [one, another] = upstreams.filter(({ clientKey }) => clientKey === true);
  if (one !== undefined && another !== undefined) {
    throw new LonghaulError(
      'config_invalid',
      `The upstreams "${one.name}" and "${another.name}" both have clientKey: true, but a client's key is meant for one of them. Set apiKey for the other.`,
    );
  }
  const isOnly = upstreams.length === 1;
  return upstreams.map(
    (options) =>
      new Upstream({ ...options, clientKey: token === undefined && (options.clientKey ?? isOnly) }),
  );
}
