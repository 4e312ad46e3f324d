import { readFile } from 'node:fs/promises';
import type { Config, ResolvedModel, ResolvedWindow } from '@longhaul/core';
import { type AskMode, type ModelDriver, Runtime, type RuntimeOptions, type Sandbox } from '@longhaul/core';
import { costOf } from '@longhaul/models';
import { LonghaulError, type Session } from '@longhaul/protocol';
import { agentTools } from './agent-tools.ts';
import { resolveNamed } from './choose-model.ts';
import { compressionSettings, strategyNamed } from './compression.ts';
import { createDriver } from './create-driver.ts';
import { openSandbox } from './open-sandbox.ts';
import type { Storage } from './open-storage.ts';
import { requireTools } from './require-tools.ts';

export interface AgentOptions {
  config: Config;
  /** Its owner closes it. */
  storage: Promise<Storage>;
  /** The model of the run; others, such as a summariser, are resolved from the configuration. */
  model: ResolvedModel;
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
  const { config, model } = options;
  const [compression, storage, main, prompt] = await Promise.all([
    compressionSettings(config.context.compression),
    options.storage,
    createDriver(model, driverOptions(options)),
    readPrompt(config),
    requireTools(model),
  ]);
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
    ...runtimeOptions(config, options),
    ...summariserOf(config, driverFor),
    ...(prompt === undefined ? {} : { prompt }),
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
export function runtimeOptions(config: Config, { ask = 'deny' }: Pick<AgentOptions, 'ask'>) {
  return {
    strategyFor: (name) => strategyNamed(config.context.compression, name),
    tools: agentTools(config),
    approvals: { rules: config.approvals, ask, timeoutMs: config.approvalTimeoutMs },
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
  return { stallMs: config.retry.stallMs, windows, ...(window === undefined ? {} : { window }) };
}

export function summariserOf(config: Config, driverFor: (name: string) => Promise<ModelDriver>) {
  const { model } = config.context.compression;
  if (model === '__same__') return {};
  return { summariserFor: async () => (model === 'none' ? undefined : driverFor(model)) };
}

export async function readPrompt({ agents }: Config): Promise<string | undefined> {
  const path = agents['coder']?.prompt;
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new LonghaulError(
      'file_unreadable',
      `The prompt agents.coder.prompt names, ${path}, cannot be read.`,
      { cause },
    );
  }
}
