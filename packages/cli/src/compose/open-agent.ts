import { type AskMode, createApprovers } from '@longhaul/approvals';
import {
  agentNameOf,
  type Config,
  type NamedAgents,
  type ResolvedModel,
  type ResolvedWindow,
} from '@longhaul/config';
import {
  type DriverFor,
  type ModelDriver,
  type MovingWorkspaces,
  Runtime,
  type RuntimeOptions,
  type Sandbox,
  type TalkSettings,
} from '@longhaul/core';
import { costOf } from '@longhaul/models';
import type { EventPayload, Session, TokenUsage } from '@longhaul/protocol';
import { type AgentSettings, agentOptions, agentSettings, strategiesFor } from './agent-settings.ts';
import { sessionBudgets } from './budgets.ts';
import { resolveOther } from './choose-model.ts';
import { compressionSettings } from './compression.ts';
import { configWarnings } from './config-warnings.ts';
import { createDriver } from './create-driver.ts';
import { DriverCache } from './driver-cache.ts';
import { fileTrees } from './file-trees.ts';
import { sessionHooks } from './hooks.ts';
import { keptOutputLimit } from './kept-output.ts';
import { loadConfiguredAgents, subtaskSettings } from './load-configured-agents.ts';
import { movingWorkspaces } from './moving-workspaces.ts';
import { McpServers } from './open-mcp.ts';
import { endProcess, openSandbox } from './open-sandbox.ts';
import type { Storage } from './open-storage.ts';
import { outsideInstructions } from './outside-instructions.ts';
import { sessionSkills } from './skills.ts';

export interface AgentOptions {
  config: Config;
  /** The configuration with the settings of compaction that were changed over the API. Default: `config`. */
  changed?: Promise<Config>;
  /** Closed by its owner. */
  storage: Promise<Storage>;
  /** The model of the run. Others, such as a summariser, are resolved from the configuration. */
  model: ResolvedModel;
  /** The agent of the run, which must exist. Default: the default one. */
  agent?: string;
  /** `--window`: the window of the run's model. */
  window?: number;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the wait for a model that is being loaded. */
  signal?: AbortSignal | undefined;
  /** The meaning of an approval rule's `ask`. Default `deny`: there is nobody to ask. */
  ask?: AskMode;
  /** Asks a person about commands of an earlier run that cannot be ended. Default: the run does not start. */
  confirmEnded?: RuntimeOptions['confirmEnded'];
  /** Emitted when a run starts. */
  notices?: readonly EventPayload[];
  /** Called when the sandbox of the run is open. */
  onSandbox: (sandbox: Sandbox, session: Session) => void;
}

export interface Agent {
  runtime: Runtime;
  /** Undefined: the sessions are in memory. */
  movingWorkspaces: MovingWorkspaces | undefined;
  driver: ModelDriver;
  window: ResolvedWindow;
}

/** Opens the parts of the agent, concurrently, and puts them together. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const { model } = options;
  const [config, storage, main, agents] = await Promise.all([
    options.changed ?? options.config,
    options.storage,
    createDriver(model, driverOptions(options)),
    loadConfiguredAgents(options.config),
  ]);
  agents.get(options.agent);
  const compression = await compressionSettings(config.context.compression, config.project?.files);
  const settingsOf = await agentSettings(agents, config);
  const drivers = new DriverCache(async (name, signal) => {
    const other = resolveOther(config, { model: name, main: model }, options.env);
    const from = driverOptions({ config, storage: options.storage, signal });
    return (await createDriver(other, from)).driver;
  });
  drivers.add(nameOf(model), main.driver);
  const { driverFor } = drivers;
  const trees = fileTrees(config, { storage, env: options.env });
  const moving = movingWorkspaces(config, { storage, trees });
  const runtime = new Runtime({
    ...storage,
    fileTrees: trees,
    movingWorkspaces: moving,
    ...runtimeOptions(config, { agents, settingsOf, ask: options.ask }),
    ...summariserOf(config, driverFor),
    ...outsideInstructions({ env: options.env }),
    ...sessionSkills(() => config, { env: options.env }),
    ...sessionHooks(() => config, { env: options.env }),
    ...sessionBudgets(() => config, { env: options.env }),
    compression,
    driverFor,
    confirmEnded: options.confirmEnded,
    toolConnector: new McpServers({ config: () => options.config, env: options.env }),
    prepareRun: async () => [...(options.notices ?? []), ...configWarnings(config)],
    async openSandbox(session, signal, recordProcess) {
      const sandbox = await openSandbox(config, { session, signal, env: options.env, recordProcess });
      options.onSandbox(sandbox, session);
      return sandbox;
    },
  });
  return {
    runtime,
    movingWorkspaces: moving,
    driver: main.driver,
    window: main.window,
  };
}

/** Returns the options of a runtime that depend on the configuration alone. */
export function runtimeOptions(
  config: Config,
  {
    agents,
    settingsOf,
    ask = 'deny',
  }: { agents: NamedAgents; settingsOf: AgentSettings; ask?: AskMode | undefined },
) {
  return {
    strategyFor: strategiesFor(config, agents),
    ...agentOptions(agents, settingsOf),
    endProcess,
    approverFor: createApprovers({ rules: config.approvals, ask, timeoutMs: config.approvalTimeoutMs }),
    subtasks: subtaskSettings(config),
    limits: config.limits,
    keptOutput: keptOutputLimit(config.storage),
    retry: config.retry,
    rawToolResults: config.tools.rawResults,
    titles: config.sessions.titles,
    askOpenItems: config.continuation.askOpenItems,
    budgetNotes: config.context.budgetNotes,
    talk: talkOf(config),
    recordsFiles: config.files.record,
    instructionFiles: config.context.instructions,
    costOf: costOfCall,
  } satisfies Partial<RuntimeOptions>;
}

/** Undefined: the price is unknown. */
export function costOfCall(usage: TokenUsage, { info }: ModelDriver): number | undefined {
  return info.price === undefined ? undefined : costOf(usage, info.price);
}

/** Undefined: no session may write to another. */
function talkOf({ sessions: { talk } }: Config): TalkSettings | undefined {
  return talk.length === 0 ? undefined : { patterns: talk, agentOf: agentNameOf };
}

export function nameOf(model: Pick<ResolvedModel, 'provider' | 'model'>): string {
  return `${model.provider}/${model.model}`;
}

export function driverOptions({
  config,
  storage,
  window,
  signal,
}: Pick<AgentOptions, 'config' | 'storage' | 'window' | 'signal'>) {
  const memory = storage.then((opened) => opened.servers);
  // If the storage cannot be opened, its owner reports that.
  memory.catch(() => {});
  return { stallMs: config.retry.stallMs, memory, window, signal };
}

export function summariserOf(config: Config, driverFor: DriverFor) {
  const { model } = config.context.compression;
  if (model === '__same__') return {};
  return {
    summariserFor: async (_own: string, signal?: AbortSignal) =>
      model === 'none' ? undefined : driverFor(model, signal),
  };
}
