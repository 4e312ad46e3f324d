import { type ModelDriver, Runtime } from '@longhaul/core';
import type { CacheStore } from '@longhaul/models';
import type { ServedAgent, TrustService } from '@longhaul/server';
import { chooseModel, resolveNamed } from '../compose/choose-model.ts';
import { createDriver } from '../compose/create-driver.ts';
import { loadConfiguredAgents } from '../compose/load-configured-agents.ts';
import { driverOptions, runtimeOptions } from '../compose/open-agent.ts';
import { openSandbox } from '../compose/open-sandbox.ts';
import type { Storage } from '../compose/open-storage.ts';
import { requireTools } from '../compose/require-tools.ts';
import { isImportedModel } from '../import/imported-model.ts';
import { importUpload } from './import-upload.ts';
import { servedModels } from './served-models.ts';
import type { ServedSettings } from './served-settings.ts';

export interface ServedAgentOptions {
  settings: ServedSettings;
  storage: Storage;
  /** Maps chats to sessions. */
  chats: CacheStore;
  env: Readonly<Record<string, string | undefined>>;
  trust: TrustService;
}

/** Creates the agent of a server. Models are opened when a session names them. */
export async function servedAgent({
  settings,
  storage,
  chats,
  env,
  trust,
}: ServedAgentOptions): Promise<ServedAgent> {
  const { config } = settings;
  const drivers = new Map<string, Promise<ModelDriver>>();
  const open = async (name: string): Promise<ModelDriver> => {
    // An imported session uses the model that a run would use.
    const model = isImportedModel(name)
      ? await chooseModel(config, {}, env)
      : resolveNamed(config, { model: name }, env);
    await requireTools(model);
    const options = driverOptions({ config, storage: Promise.resolve(storage) });
    return (await createDriver(model, options)).driver;
  };
  const driverFor = (name: string): Promise<ModelDriver> => {
    const known = drivers.get(name);
    if (known !== undefined) return known;
    const opened = open(name);
    drivers.set(name, opened);
    // The server may be reachable the next time.
    opened.catch(() => drivers.delete(name));
    return opened;
  };
  const agents = await loadConfiguredAgents(config);
  const runtime = new Runtime({
    ...storage,
    ...runtimeOptions(config, { agents, ask: 'wait' }),
    compression: settings.compression,
    summariserFor: async (own) => {
      const { summariser } = settings;
      if (summariser === 'none') return undefined;
      return driverFor(summariser === '__same__' ? own : summariser);
    },
    driverFor,
    openSandbox: (session, signal, recordProcess) =>
      openSandbox(config, { session, signal, env, recordProcess }),
  });
  return {
    ...storage,
    runtime,
    settings,
    agents,
    chats,
    models: servedModels({ config, env, driverFor }),
    trust,
    importer: { import: (file, options) => importUpload(file, { ...options, storage }) },
  };
}
