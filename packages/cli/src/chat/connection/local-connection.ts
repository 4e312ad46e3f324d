import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { noModelMessage } from '@longhaul/config';
import { attachments } from '../../attach/attachments.ts';
import { knownModels } from '../../compose/known-models.ts';
import { nameOf } from '../../compose/open-agent.ts';
import { openCache } from '../../compose/open-cache.ts';
import type { Storage } from '../../compose/open-storage.ts';
import { openTelemetry } from '../../compose/open-telemetry.ts';
import { openServedAgent } from '../../serve/open-served-agent.ts';
import type { Terminal } from '../../terminal.ts';
import { version } from '../../version.ts';
import type { Connection } from './connection.ts';
import { localAccess } from './local-access.ts';
import { localKeys } from './local-keys.ts';
import { type OwnModelOptions, openOwnModel } from './own-model.ts';
import { runCommand } from './run-command.ts';
import { socketFetch } from './socket-fetch.ts';

export interface LocalConnectionOptions extends OwnModelOptions {
  /** Closed by its owner. */
  storage: Storage;
  terminal: Terminal;
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
  const own = await openOwnModel(options);
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
    client: createClient({
      baseUrl: 'http://localhost',
      token,
      fetch: socketFetch(socketPath),
      schemas: () => import('@longhaul/protocol/api'),
    }),
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
