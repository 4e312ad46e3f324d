import { fileURLToPath } from 'node:url';
import type { ServerOptions } from '@longhaul/server';
import { PAGE_FOLDER } from '@longhaul/web';
import { healthProbes } from './health-probes.ts';
import { replayUploads } from './replay-upload.ts';
import type { RunPlaces } from './run-places.ts';
import type { ServedSettings } from './served-settings.ts';

type Configured = Omit<ServerOptions, 'agent' | 'workspaces' | 'log' | 'version'>;

/** What the configuration says about a server. */
export function serverOptions(
  settings: ServedSettings,
  {
    url,
    env,
    places,
  }: {
    url: string;
    env: Readonly<Record<string, string | undefined>>;
    places: RunPlaces;
  },
): Configured {
  const { server, web } = settings.config;
  const { requestsPerSecond } = server;
  return {
    host: server.host,
    port: server.port,
    hosts: server.hosts,
    origins: server.origins,
    trustProxy: server.trustProxy,
    maxRuns: places.max,
    secrets: () => settings.secrets,
    openai: server.openai,
    replay: replayUploads(),
    probes: healthProbes({ url, config: () => settings.config, env }),
    webFolder: web.enabled ? fileURLToPath(PAGE_FOLDER) : undefined,
    limits: {
      jsonBytes: server.maxBodyBytes,
      uploadBytes: server.maxUploadBytes,
      stopGraceMs: server.stopGraceMs,
      rate:
        requestsPerSecond === null ? null : { perSecond: requestsPerSecond, burst: 5 * requestsPerSecond },
    },
  };
}
