import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_CONFIG, type NamedAgent, NamedAgents } from '@longhaul/config';
import { createStrategy, isStrategyName, ReactiveOverflowStrategy } from '@longhaul/context/engine';
import {
  ALLOW_ALL,
  type EventListener,
  type ModelDriver,
  Runtime,
  type RuntimeOptions,
  type StepEvent,
  type StepRequest,
} from '@longhaul/core';
import { LonghaulError, type Session } from '@longhaul/protocol';
import type { Settings, WorkspaceTrust } from '@longhaul/protocol/api';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { createMemoryCache } from '@longhaul/storage/memory';
import { openSqliteStore, type SqliteStore } from '@longhaul/storage/sqlite';
import { createIdleSandbox } from '@longhaul/testing/doubles';
import { pino } from 'pino';
import { type LonghaulServer, type ServerLimits, type ServerOptions, startServer } from '../src/index.ts';

export const TOKEN = 'test-token-0123456789-0123456789-0123456789';

/** Produces the model's answer to the newest user message. */
export type Play = (text: string, request: StepRequest) => AsyncIterable<StepEvent>;

export interface TestServerOptions {
  play?: Play;
  limits?: Partial<ServerLimits>;
  options?: Partial<ServerOptions>;
  /** Default: images and files. */
  accepts?: ModelDriver['info']['accepts'];
  /** Default: no tools. */
  run?: Partial<
    Pick<RuntimeOptions, 'driverFor' | 'tools' | 'approverFor' | 'agentFor' | 'retry' | 'openSandbox'>
  >;
  /** Agents in addition to the default one. */
  agents?: readonly NamedAgent[];
  /** A folder with a database that others use too. Default: a new temporary folder. */
  folder?: string;
  /** Gets each listener of the runtime's events. */
  spyOn?: (listener: EventListener) => void;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly server: LonghaulServer;
  readonly runtime: Runtime;
  readonly store: SqliteStore;
  readonly folder: string;
  readonly workspace: string;
  /** The lines of the log. */
  readonly log: string[];
  fetch(path: string, init?: RequestInit & { token?: string | null }): Promise<Response>;
  /** Sends JSON and reads JSON. Throws if the status is not 2xx. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  newSession(fields?: object): Promise<string>;
}

/** Starts a real server on a free port, with a real database and a scripted model. */
export async function startTestServer(given: TestServerOptions = {}): Promise<TestServer> {
  const folder = given.folder ?? (await mkdtemp(join(tmpdir(), 'longhaul-server-')));
  const workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  const store = await openSqliteStore({ path: join(folder, 'longhaul.db') });
  const blobs = createFileBlobStore(join(folder, 'blobs'));
  const agents = new NamedAgents([{ name: 'coder', tools: [] }, ...(given.agents ?? [])]);
  const agentFor = (session: Session) => agents.of(session);
  const runtime = testRuntime(store, blobs, given.play, {
    ...(given.agents === undefined ? {} : { agentFor }),
    ...(given.accepts === undefined
      ? {}
      : { driverFor: async () => playedDriver(given.play, given.accepts) }),
    ...given.run,
  });
  const subscribe = runtime.subscribe.bind(runtime);
  runtime.subscribe = (listener) => {
    given.spyOn?.(listener);
    return subscribe(listener);
  };
  const log: string[] = [];
  const server = await startServer({
    agent: { runtime, store, blobs, agents, ...services(given.play) },
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    workspaces: [workspace],
    log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    version: '0.0.0',
    ...given.options,
    limits: { rate: null, stopGraceMs: 2_000, ...given.limits },
  });
  const fetchPath: TestServer['fetch'] = (path, { token = TOKEN, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    return fetch(server.url + path, { ...init, headers });
  };
  const call: TestServer['call'] = async (method, path, body) => {
    const json =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetchPath(path, { method, ...json });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    url: server.url,
    server,
    runtime,
    store,
    folder,
    workspace,
    log,
    fetch: fetchPath,
    call,
    newSession: async (fields = {}) => (await call<{ id: string }>('POST', '/api/sessions', fields)).id,
    async [Symbol.asyncDispose]() {
      await server.stop({ atOnce: true });
      await store[Symbol.asyncDispose]();
      if (given.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

export function testRuntime(
  store: SqliteStore,
  blobs: ReturnType<typeof createFileBlobStore>,
  play: Play = echo,
  run: TestServerOptions['run'] = {},
): Runtime {
  return new Runtime({
    approverFor: () => ALLOW_ALL,
    store,
    blobs,
    tools: [],
    openSandbox: async () => createIdleSandbox(),
    driverFor: async () => playedDriver(play),
    summariserFor: async () => undefined,
    strategyFor: (name) => createStrategy(isStrategyName(name) ? name : 'reactive-overflow'),
    compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
    ...run,
  });
}

/** Answers with the user's own text, in pieces. */
async function* echo(text: string): AsyncGenerator<StepEvent> {
  yield* pieces(`You said: ${text}`);
}

export async function* pieces(
  text: string,
  { size = 5, pause }: { size?: number; pause?: (sent: number) => Promise<unknown> } = {},
): AsyncGenerator<StepEvent> {
  yield { type: 'text-start', id: 't' };
  for (let at = 0; at < text.length; at += size) {
    yield { type: 'text-delta', id: 't', text: text.slice(at, at + size) };
    await pause?.(at + size);
  }
  yield { type: 'text-end', id: 't' };
  yield { type: 'finish', finishReason: 'stop' };
}

/** A point where a model waits until the test opens it or the run is aborted. */
export function gate(): { open: () => void; wait: (signal?: AbortSignal) => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    open: resolve,
    wait: (signal) =>
      signal === undefined
        ? promise
        : Promise.race([
            promise,
            new Promise<void>((_, reject) => {
              if (signal.aborted) reject(signal.reason);
              signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            }),
          ]),
  };
}

function playedDriver(play: Play = echo, accepts = { images: true, files: true }): ModelDriver {
  return {
    info: {
      provider: 'played',
      model: 'one',
      windowTokens: 100_000_000,
      maxOutputTokens: 40_000_000,
      accepts,
    },
    step(request) {
      const last = request.messages.findLast(({ role }) => role === 'user');
      const text = last?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      return play(text, request);
    },
  };
}

/** Services that store settings in memory, without files and flags. */
function services(play: Play = echo): Omit<ServerOptions['agent'], 'runtime' | 'store' | 'blobs' | 'agents'> {
  const { compression } = DEFAULT_CONFIG.context;
  let changed: Settings['changed'] = { compression: {} };
  const settings = (): Settings => ({
    compression: { ...compression, strategy: changed.compression?.strategy ?? compression.strategy },
    changed,
  });
  return {
    models: {
      async resolve(name = 'played/one') {
        if (name.startsWith('played/')) return name;
        throw new LonghaulError('unknown_model', `No provider for ${name.slice(0, 50)}.`);
      },
      prepare: async () => {},
      driverFor: async () => playedDriver(play),
      list: async () => ({ default: 'played/one', models: [] }),
      providers: async () => ({ providers: [] }),
    },
    config: { get: async () => ({ config: {}, origins: {}, sources: [], ignored: [] }) },
    alwaysAllows: async ({ toolName }) => [toolName],
    chats: createMemoryCache(),
    settings: {
      get: async () => settings(),
      async put(change) {
        changed = change;
        return settings();
      },
    },
    skillsOf: async () => ({ skills: [], problems: [] }),
    mcp: {
      list: async () => ({ servers: [] }),
      offers: async () => ({ prompts: [], resources: [] }),
    },
    trust: {
      get: async (workspace) => nothingWanted(workspace),
      answer: async (workspace) => nothingWanted(workspace),
    },
    importer: {
      async import(file) {
        if (file.length === 0) throw new LonghaulError('invalid_request', 'The file is empty.');
        throw new LonghaulError('invalid_request', 'No importer knows this file.');
      },
    },
  };
}

function nothingWanted(workspace: string): WorkspaceTrust {
  return { workspace, hash: '0'.repeat(64), isTrusted: true, wants: [], needsRestart: [] };
}
