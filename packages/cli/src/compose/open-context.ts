import type { Config } from '@longhaul/config';
import { ALLOW_ALL, Runtime } from '@longhaul/core';
import { isImportedModel } from '../import/imported-model.ts';
import { agentOptions, agentSettings, strategiesFor } from './agent-settings.ts';
import { sessionBudgets } from './budgets.ts';
import { chooseModel, resolveNamed, resolveOther } from './choose-model.ts';
import { compressionSettings } from './compression.ts';
import { createDriver } from './create-driver.ts';
import { DriverCache } from './driver-cache.ts';
import { fileTrees } from './file-trees.ts';
import { sessionHooks } from './hooks.ts';
import { loadConfiguredAgents, subtaskSettings } from './load-configured-agents.ts';
import { costOfCall, driverOptions, summariserOf } from './open-agent.ts';
import { endProcess, openSandbox } from './open-sandbox.ts';
import type { Storage } from './open-storage.ts';
import { outsideInstructions } from './outside-instructions.ts';
import { sessionSkills } from './skills.ts';

/**
 * Creates a runtime for commands that work on a session between its runs. No model server is contacted before it is
 * needed: most commands work without it.
 */
export async function openContext(
  config: Config,
  {
    storage,
    session,
    env,
  }: {
    storage: Storage;
    /** The model of the session, and its address if that differs from the configured one. */
    session: { model: string; address: () => Promise<string | undefined> };
    env: Readonly<Record<string, string | undefined>>;
  },
): Promise<Runtime> {
  // An imported session uses the model that a run would use.
  const own = async () =>
    isImportedModel(session.model)
      ? chooseModel(config, {}, env)
      : resolveNamed(config, { model: session.model, baseUrl: await session.address() }, env);
  const { driverFor } = new DriverCache(async (name, signal) => {
    const model =
      name === session.model ? await own() : resolveOther(config, { model: name, main: await own() }, env);
    return (await createDriver(model, driverOptions({ config, storage: Promise.resolve(storage), signal })))
      .driver;
  });
  const agents = await loadConfiguredAgents(config);
  return new Runtime({
    approverFor: () => ALLOW_ALL,
    ...storage,
    fileTrees: fileTrees(config, { storage, env }),
    driverFor,
    ...summariserOf(config, driverFor),
    compression: await compressionSettings(config.context.compression, config.project?.files),
    strategyFor: strategiesFor(config, agents),
    ...agentOptions(agents, await agentSettings(agents, config)),
    subtasks: subtaskSettings(config),
    instructionFiles: config.context.instructions,
    ...outsideInstructions({ env }),
    ...sessionSkills(() => config, { env }),
    endProcess,
    ...sessionHooks(() => config, { env }),
    ...sessionBudgets(() => config, { env }),
    costOf: costOfCall,
    // Only the hooks of a compaction need one.
    openSandbox: (opened, signal, recordProcess) =>
      openSandbox(config, { session: opened, signal, env, recordProcess }),
  });
}
