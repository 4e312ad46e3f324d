import { LonghaulError } from '@longhaul/protocol';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ServerSettings } from '../server-settings.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type ServerPlace, startServerProcess } from './server-process.ts';
import { StdioTransport } from './stdio-transport.ts';

/** A way to speak with a server, not started. The second is tried if the server does not know the first. */
export function transportsFor(settings: ServerSettings, place: ServerPlace): (() => Transport)[] {
  const { command, url, headers } = settings;
  if (command !== undefined && url !== undefined) {
    throw new LonghaulError('mcp_unavailable', 'It has a `command` and a `url`. Remove one of them.');
  }
  if (command !== undefined) return [() => new StdioTransport(() => startServerProcess(settings, place))];
  const address = URL.parse(url ?? '');
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new LonghaulError(
      'mcp_unavailable',
      'It has neither a `command` nor a `url` that is http:// or https://.',
    );
  }
  const options = { requestInit: { headers: { ...headers } }, fetch: boundedFetch() };
  return [
    () => new StreamableHTTPClientTransport(address, options) as Transport,
    () => new SSEClientTransport(address, options),
  ];
}
