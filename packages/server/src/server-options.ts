import type { Config, NamedAgents } from '@longhaul/config';
import type { BlobStore, ModelDriver, Runtime, Store } from '@longhaul/core';
import type { CacheStore } from '@longhaul/models';
import type { ImportResult, Models, Settings, SettingsBody } from '@longhaul/protocol/api';
import type { Logger } from 'pino';
import type { Told } from './http/route-handler.ts';
import type { RateOptions } from './safety/rate-limiter.ts';

/** The agent, as whoever starts the server has put it together. */
export interface ServedAgent {
  runtime: Runtime;
  store: Store;
  blobs: BlobStore;
  models: ModelDirectory;
  settings: SettingsService;
  importer: SessionFileImporter;
  /** The agents that sessions can name, and that are offered as models. */
  agents: Pick<NamedAgents, 'list' | 'get'>;
  /** Which session a chat of OpenAI's API is. What it forgets is asked for from the client's own history. */
  chats: CacheStore;
}

export interface ModelDirectory {
  /**
   * The full name of the model that is named, or of the default one.
   *
   * @throws {LonghaulError} `unknown_model`, `model_not_configured`, `provider_auth`, `config_invalid`.
   */
  resolve(name?: string): Promise<string>;
  /** Makes the model ready, so that what is wrong with it is said before a message is stored. Throws what is wrong. */
  prepare(name: string): Promise<void>;
  /** The same, to be called without a session. */
  driverFor(name: string): Promise<ModelDriver>;
  list(): Promise<Models>;
}

export interface SettingsService {
  get(): Promise<Settings>;
  /** @throws {LonghaulError} `config_invalid`, `unknown_model`; then everything is as it was. */
  put(change: SettingsBody): Promise<Settings>;
}

export interface SessionFileImporter {
  /** @throws {LonghaulError} `invalid_request` for a file that no importer can read. */
  import(
    file: Uint8Array,
    options: { workspace: string; name?: string; signal: AbortSignal },
  ): Promise<Told<ImportResult>>;
}

/** How agents answer on OpenAI's API. */
export type OpenAiOptions = Config['server']['openai'];

export interface ServerLimits {
  /** Bytes of a body of JSON. */
  jsonBytes: number;
  /** Bytes of a message with media, and of an imported file. */
  uploadBytes: number;
  /** Of one address; null: none. */
  rate: RateOptions | null;
  /** Time for a request's headers, and for all of it. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** What may wait for one reader of events. */
  readerBufferBytes: number;
  /** What may wait for all of them together. */
  readersBufferBytes: number;
  readers: number;
  heartbeatMs: number;
  /** How long steps may go on once the server is asked to stop. */
  stopGraceMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  jsonBytes: 1_048_576,
  uploadBytes: 32 * 1_048_576,
  rate: { perSecond: 100, burst: 500 },
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  readerBufferBytes: 1_048_576,
  readersBufferBytes: 128 * 1_048_576,
  readers: 5_000,
  heartbeatMs: 15_000,
  stopGraceMs: 20_000,
};

export interface ServerOptions {
  agent: ServedAgent;
  /** Address to listen on. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** Every request but those for `/healthz` and `/readyz` must carry it. Undefined: only allowed on a loopback address. */
  token?: string;
  /** Folders that sessions may work in, or inside of; at least one. */
  workspaces: readonly string[];
  /** Names by which the server may be called, beside addresses and `localhost`. */
  hosts?: readonly string[];
  /** Origins of other sites whose pages may use the server, such as `https://app.example.com`. */
  origins?: readonly string[];
  /** Never shown to clients, in events, exports or errors; the token is one by itself. */
  secrets?: readonly string[];
  limits?: Partial<ServerLimits>;
  openai?: Partial<OpenAiOptions>;
  log: Logger;
  version: string;
}
