import type { ModelDriver } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import { type AgentSettings, MODEL, STALL_MS } from './settings.ts';

/** Creates the driver with which a life calls the scripted model. */
export function modelDriver(
  { client, baseUrl }: Pick<AgentSettings, 'client' | 'baseUrl'>,
  { windowTokens, fetch }: { windowTokens: number; fetch?: typeof globalThis.fetch },
): Promise<ModelDriver> {
  return createModelDriver({
    kind: client.kind,
    // Lives with other APIs are another provider to the session, so each continues what another provider's model left.
    provider: client.kind,
    model: MODEL,
    baseUrl,
    stallMs: STALL_MS,
    settings: { driver: client.driver },
    fetch,
    info: {
      provider: client.kind,
      model: MODEL,
      windowTokens,
      maxOutputTokens: 4_096,
      accepts: { images: true, files: false },
    },
  });
}
