import type { ServerResponse } from 'node:http';
import type { CacheStore } from '@longhaul/models';
import { type Gateway, type GatewayOptions, type LogEntry, startGateway } from '../src/index.ts';
import { mapCache } from './compaction-support.ts';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';

export interface TestGateway extends Gateway {
  readonly logged: LogEntry[];
}

/** On a busy machine a server may report its window late. */
const ASK_TIMEOUT_MS = 60_000;

/** Starts a gateway in front of the upstream at `upstream`, or of `options.upstreams`. */
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

/** Starts an upstream that reports a window of 4,096 tokens as llama.cpp does, and a gateway in front of it. */
export async function startBoth(
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
