import type { ServerResponse } from 'node:http';
import type { CacheStore } from '@longhaul/models';
import { type Gateway, type GatewayOptions, type LogEntry, startGateway } from '../src/index.ts';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';

/** A cache as small as can be. */
export function mapCache(): CacheStore & { readonly size: number } {
  const values = new Map<string, string>();
  return {
    get size() {
      return values.size;
    },
    get: async (key) => values.get(key),
    getFirst: async (keys) => {
      const key = keys.find((candidate) => values.has(candidate));
      return key === undefined ? undefined : { key, value: values.get(key) ?? '' };
    },
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  };
}

export interface TestGateway extends Gateway {
  readonly logged: LogEntry[];
}

/** On a machine with other work a server says its window late, and not never. */
const ASK_TIMEOUT_MS = 60_000;

/** A gateway in front of one upstream, or of those that are named. */
export async function startTestGateway(
  upstream: string,
  options: Partial<GatewayOptions> & { cache?: CacheStore } = {},
): Promise<TestGateway> {
  const logged: LogEntry[] = [];
  const { upstreams = [{ name: 'local', baseUrl: upstream }], ...others } = options;
  const gateway = await startGateway({
    cache: mapCache(),
    upstreams: upstreams.map((server) => ({ askTimeoutMs: ASK_TIMEOUT_MS, ...server })),
    log: (entry) => logged.push(entry),
    ...others,
  });
  return { ...gateway, logged };
}

/** Any server; it reports a window of 4,096 tokens as llama.cpp does. */
export async function before(
  answer: (request: Received, response: ServerResponse) => void | Promise<void>,
  options = {},
) {
  const upstream = await startRecordingUpstream(answer, {
    '/props': { default_generation_settings: { n_ctx: 4_096 } },
  });
  const gateway = await startTestGateway(upstream.url, options);
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}
