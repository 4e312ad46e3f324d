import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { noModelMessage } from '@longhaul/config';
import type { ReasoningEffort } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { attachments } from '../../attach/attachments.ts';
import { chooseModel, type ModelChoice } from '../../compose/choose-model.ts';
import { knownModels } from '../../compose/known-models.ts';
import type { Settings } from '../../compose/load-settings.ts';
import { nameOf } from '../../compose/open-agent.ts';
import { openCache } from '../../compose/open-cache.ts';
import { openSandbox } from '../../compose/open-sandbox.ts';
import type { Storage } from '../../compose/open-storage.ts';
import { openTelemetry } from '../../compose/open-telemetry.ts';
import { keepAddress } from '../../compose/session-address.ts';
import { openServedAgent } from '../../serve/open-served-agent.ts';
import type { OwnModel } from '../../serve/served-models.ts';
import type { Terminal } from '../../terminal.ts';
import { version } from '../../version.ts';
import type { CommandOutput, Connection } from './connection.ts';
import { localAccess } from './local-access.ts';
import { localKeys } from './local-keys.ts';
import { socketFetch } from './socket-fetch.ts';

export interface LocalConnectionOptions {
  settings: Settings;
  /** Closed by its owner. */
  storage: Storage;
  terminal: Terminal;
  choice: ModelChoice;
  /** Tokens of the model's window. */
  window: number | undefined;
  /** Gets each line of the server's log. */
  onLog: (line: string) => void;
}

/**
 * Starts a server in this process, for this chat alone: it listens on a socket in a folder that only this user can
 * open, with a token that is never stored.
 */
export async function openLocalConnection(options: LocalConnectionOptions): Promise<Connection> {
  const { settings: first, storage, terminal } = options;
  await using undo = new AsyncDisposableStack();
  const chats = undo.use(await openCache(first.config.storage.url));
  const own = await firstModel(options);
  const { agent, settings } = await openServedAgent(first, {
    terminal,
    storage,
    chats,
    hasToken: true,
    ownModel: () => own.current,
  });
  undo.use(await openTelemetry(first.config.telemetry.otlp, agent.runtime));
  const { createSecretMask, createServerLog, startServer } = await import('@longhaul/server');
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const token = randomBytes(32).toString('base64url');
  const socketPath = join(folder, 'socket');
  const server = undo.use(
    await startServer({
      agent,
      host: 'localhost',
      port: 0,
      socketPath,
      token,
      workspaces: [first.workspace],
      secrets: () => settings.secrets,
      limits: { rate: null, stopGraceMs: first.config.server.stopGraceMs },
      log: createServerLog(
        { write: options.onLog },
        { level: 'warn', mask: createSecretMask(() => settings.secrets) },
      ),
      version: await version(),
    }),
  );
  const parts = undo.move();
  return {
    client: createClient({ baseUrl: 'http://localhost', token, fetch: socketFetch(socketPath) }),
    local: {
      workspace: first.workspace,
      access: localAccess(first, settings, terminal),
      keys: localKeys({
        env: terminal.env,
        home: first.home,
        config: () => settings.config,
        onChange: async () => {
          await settings.reloadIfChanged();
          await own.useConfig(settings.config);
        },
      }),
      get model() {
        return own.current && nameOf(own.current.model);
      },
      get modelProblem() {
        return own.problem;
      },
      get lacksModel() {
        return own.problem === noModelMessage();
      },
      async choose({ model, effort, window }) {
        await own.change({ model, effort, window });
        return nameOf(own.required().model);
      },
      models: () => knownModels(settings.config, [], terminal.env),
      keepAddress: (sessionId) => own.keepAddress(storage, sessionId),
      runCommand: (command, place) =>
        runCommand(command, { ...place, config: settings.config, env: terminal.env }),
      attachments: (text, workspace) => attachments({ text, images: [], folder: workspace }, workspace),
    },
    async [Symbol.asyncDispose]() {
      await server.stop({ atOnce: true });
      await parts.disposeAsync();
    },
  };
}

/** The model that the flags or the session name, and what was changed since. */
async function firstModel({ settings, choice, window, terminal: { env } }: LocalConnectionOptions) {
  let { config } = settings;
  let chosen = choice;
  let tokens = window;
  let current: OwnModel | undefined;
  let problem: string | undefined;
  const resolve = async () => {
    current = { model: await chooseModel(config, chosen, env), window: tokens };
    problem = undefined;
  };
  const resolveOrExplain = () =>
    resolve().catch((error: unknown) => {
      if (!(error instanceof LonghaulError)) throw error;
      current = undefined;
      problem = error.message;
    });
  await resolveOrExplain();
  return {
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    /** Keys or settings have changed. */
    async useConfig(changed: Settings['config']) {
      config = changed;
      await resolveOrExplain();
    },
    required(): OwnModel {
      if (current === undefined) throw new LonghaulError('model_not_configured', problem ?? '');
      return current;
    },
    /** @throws {LonghaulError} as `chooseModel`; nothing is changed then. */
    async change({
      model,
      effort,
      window: next,
    }: {
      model?: string | undefined;
      effort?: ReasoningEffort | undefined;
      window?: number | undefined;
    }) {
      const before = { chosen, tokens };
      // The address belongs to the model that was given with it.
      const isSame = model === undefined || (current !== undefined && nameOf(current.model) === model);
      const address = isSame ? {} : { baseUrl: undefined, isAddressGiven: false };
      const name = model ?? (current === undefined ? chosen.model : nameOf(current.model));
      chosen = { ...chosen, ...address, model: name, effort: effort ?? chosen.effort };
      tokens = next ?? (isSame ? tokens : undefined);
      try {
        await resolve();
      } catch (error) {
        ({ chosen, tokens } = before);
        throw error;
      }
    },
    async keepAddress({ store }: Storage, sessionId: string) {
      if (chosen.isAddressGiven === true && current !== undefined)
        await keepAddress(store, sessionId, current.model);
    },
  };
}

/** Time after which a command of the person is ended. */
const COMMAND_MS = 10 * 60_000;

async function runCommand(
  command: string,
  {
    workspace,
    signal,
    config,
    env,
  }: { workspace: string; signal: AbortSignal } & Pick<Settings, 'config'> & Pick<Terminal, 'env'>,
): Promise<CommandOutput> {
  await using sandbox = await openSandbox(config, { session: { id: 'chat', workspace }, signal, env });
  const decoder = new TextDecoder();
  let text = '';
  const result = await sandbox.exec(command, {
    timeoutMs: COMMAND_MS,
    signal,
    onOutput: (chunk) => {
      text += decoder.decode(chunk, { stream: true });
    },
  });
  return { text: text + decoder.decode(), exitCode: result.exitCode ?? null };
}
