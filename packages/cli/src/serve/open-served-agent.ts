import { KeyStore, TrustStore } from '@longhaul/config';
import type { Dispatcher } from '@longhaul/core';
import type { CacheStore } from '@longhaul/models';
import type { ServedAgent } from '@longhaul/server';
import type { Settings } from '../compose/load-settings.ts';
import type { Storage } from '../compose/open-storage.ts';
import type { Terminal } from '../terminal.ts';
import { type ServedAgentOptions, servedAgent } from './served-agent.ts';
import type { OwnModel } from './served-models.ts';
import { type ServedSettings, servedSettings } from './served-settings.ts';

export interface OpenServedAgentOptions {
  terminal: Pick<Terminal, 'env'>;
  storage: Storage;
  chats: CacheStore;
  dispatcher?: Dispatcher | undefined;
  hasToken: boolean;
  ownModel?: () => OwnModel | undefined;
  wrapTools?: ServedAgentOptions['wrapTools'];
}

/**
 * Opens the agent of a server with the settings of a command. Both follow changes over the API, of the trust and of
 * stored keys.
 */
export async function openServedAgent(
  first: Settings,
  { terminal: { env }, storage, ...options }: OpenServedAgentOptions,
): Promise<{ agent: ServedAgent; settings: ServedSettings }> {
  const settings = await servedSettings({
    store: storage.store,
    env,
    load: first.withCompression,
    stored: () => stored(first, env),
  });
  const { home, workspace } = first;
  const agent = await servedAgent({ ...options, settings, storage, env, home, workspace });
  return { agent, settings };
}

/** Trust in the project, and keys. Other commands can change both. */
async function stored({ project, home, workspace }: Settings, env: Terminal['env']): Promise<string> {
  const keys = await new KeyStore({ env, home }).read();
  const store = new TrustStore({ env, home });
  const entries = [project && (await store.get(project.workspace)), await store.get(workspace, 'files')];
  return JSON.stringify([entries.map((entry) => entry?.wants.toSorted() ?? []), keys]);
}
