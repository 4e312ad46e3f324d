import { type AskMode, createApprovers } from '@longhaul/approvals';
import type { Config, NamedAgents, ResolvedModel, ResolvedWindow } from '@longhaul/config';
import { type ModelDriver, Runtime, type RuntimeOptions, type Sandbox } from '@longhaul/core';
import { costOf } from '@longhaul/models';
import type { Session } from '@longhaul/protocol';
import { resolveNamed } from './choose-model.ts';
import { compressionSettings, strategyNamed } from './compression.ts';
import { createDriver } from './create-driver.ts';
import { loadConfiguredAgents } from './load-configured-agents.ts';
import { openSandbox } from './open-sandbox.ts';
import type { Storage } from './open-storage.ts';
import { requireTools } from './require-tools.ts';

export interface AgentOptions {
  config: Config;
  /** The same with what was changed over the API: how contexts are compacted. Default: `config`. */
  changed?: Promise<Config>;
  /** Its owner closes it. */
  storage: Promise<Storage>;
  /** The model of the run; others, such as a summariser, are resolved from the configuration. */
  model: ResolvedModel;
  /** The agent of the run, which has to be there. Default: the default one. */
  agent?: string;
  /** `--window`: of the run's model. */
  window?: number;
  env: Readonly<Record<string, string | undefined>>;
  /** What an approval rule's `ask` means here. Default `deny`: nobody is there. */
  ask?: AskMode;
  /** Told of the run's sandbox once it is open. */
  onSandbox: (sandbox: Sandbox, session: Session) => void;
}

export interface Agent {
  runtime: Runtime;
  driver: ModelDriver;
  window: ResolvedWindow;
}

/** Puts the agent together from its parts. Those that take time are opened beside one another. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const { model } = options;
  const [config, storage, main, agents] = await Promise.all([
    options.changed ?? options.config,
    options.storage,
    createDriver(model, driverOptions(options)),
    loadConfiguredAgents(options.config),
    requireTools(model),
  ]);
  const compression = await compressionSettings(config.context.compression);
  agents.get(options.agent);
  const drivers = new Map([[nameOf(model), Promise.resolve(main.driver)]]);
  const driverFor = (name: string) => {
    const known = drivers.get(name);
    if (known !== undefined) return known;
    const other = resolveNamed(config, { model: name }, options.env);
    const opened = createDriver(other, driverOptions({ config, storage: options.storage })).then(
      ({ driver }) => driver,
    );
    drivers.set(name, opened);
    return opened;
  };
  const runtime = new Runtime({
    ...storage,
    ...runtimeOptions(config, { agents, ask: options.ask }),
    ...summariserOf(config, driverFor),
    compression,
    driverFor,
    async openSandbox(session, signal) {
      const sandbox = await openSandbox(config, { session, signal, env: options.env });
      options.onSandbox(sandbox, session);
      return sandbox;
    },
  });
  return {
    runtime,
    driver: main.driver,
    window: main.window,
  };
}

/** What of a runtime the configuration alone says. */
export function runtimeOptions(
  config: Config,
  { agents, ask = 'deny' }: { agents: NamedAgents; ask?: AskMode | undefined },
) {
  return {
    strategyFor: (name) => strategyNamed(config.context.compression, name),
    ...agentOptions(agents),
    approverFor: createApprovers({ rules: config.approvals, ask, timeoutMs: config.approvalTimeoutMs }),
    limits: config.limits,
    retry: config.retry,
    instructionFiles: config.context.instructions,
    costOf: (usage, { info }) => (info.price === undefined ? undefined : costOf(usage, info.price)),
  } satisfies Partial<RuntimeOptions>;
}

export function nameOf(model: Pick<ResolvedModel, 'provider' | 'model'>): string {
  return `${model.provider}/${model.model}`;
}

export function driverOptions({
  config,
  storage,
  window,
}: Pick<AgentOptions, 'config' | 'storage' | 'window'>) {
  const windows = storage.then((opened) => opened.windows);
  // Where the storage cannot be opened, whoever opens it says so.
  windows.catch(() => {});
  return { stallMs: config.retry.stallMs, windows, window };
}

export function summariserOf(config: Config, driverFor: (name: string) => Promise<ModelDriver>) {
  const { model } = config.context.compression;
  if (model === '__same__') return {};
  return { summariserFor: async () => (model === 'none' ? undefined : driverFor(model)) };
}

/** Sessions work as the agent they name. */
export function agentOptions(agents: NamedAgents) {
  return {
    tools: agents.get().tools,
    agentFor: (session) => agents.of(session),
  } satisfies Partial<RuntimeOptions>;
}
