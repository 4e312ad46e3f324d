import type { Config, NamedAgents } from '@longhaul/config';
import type { BlobStore, Dispatcher, DriverFor, MovingWorkspaces, Runtime, Store } from '@longhaul/core';
import type { CacheStore } from '@longhaul/models';
import type { RateOptions } from '@longhaul/models/http';
import type { Approval, GitSource } from '@longhaul/protocol';
import type {
  AnswerTrustBody,
  ImportResult,
  McpOffers,
  McpServerList,
  Models,
  ModelsQuery,
  ProviderList,
  ReplayReport,
  Settings,
  SettingsBody,
  ShownConfig,
  WorkspaceSkills,
  WorkspaceTrust,
} from '@longhaul/protocol/api';
import type { Logger } from 'pino';
import type { ClusterAddress } from './cluster/cluster-address.ts';
import type { HealthProbes } from './health/probes.ts';
import type { KnownFields } from './http/route-handler.ts';
import type { ServerRole } from './http/server-role.ts';
import type { NamedTokens } from './safety/named-tokens.ts';

/** The parts of the agent that the server uses. The caller of `startServer` composes them. */
export interface ServedAgent {
  runtime: Runtime;
  store: Store;
  blobs: BlobStore;
  models: ModelDirectory;
  settings: SettingsService;
  config: ConfigService;
  importer: SessionFileImporter;
  trust: TrustService;
  /** Reads the skills that sessions of a workspace have. */
  skillsOf: (folder: string) => Promise<WorkspaceSkills>;
  mcp: McpService;
  /** Returns what the answer `always` to a call would allow, for people. */
  alwaysAllows: (call: Pick<Approval, 'toolName' | 'args'> & { workspace: string }) => Promise<string[]>;
  /** The agents that sessions can name and that the OpenAI API offers as models. */
  agents: Pick<NamedAgents, 'list' | 'get'>;
  /** Maps chats of the OpenAI API to sessions. A lost entry is rebuilt from the history that the client sends. */
  chats: CacheStore;
  /** Spreads the sessions over several servers. Absent: this server drives them. */
  dispatcher?: Dispatcher | undefined;
  /** Folders of sessions with a repository, or with a copy of other files. Absent: there are none. */
  ownFolders?: OwnFolders | undefined;
}

export interface OwnFolders {
  /** Undefined: the sessions are in memory. */
  workspaces(): MovingWorkspaces | undefined;
  /** @throws {LonghaulError} `invalid_request`, `workspace_not_allowed` */
  requireGit(source: GitSource): void;
}

export interface ModelDirectory {
  /**
   * Returns the full name of the given model, or of the default model.
   *
   * @throws {LonghaulError} `unknown_model`, `model_not_configured`, `key_missing`, `config_invalid`.
   */
  resolve(name?: string): Promise<string>;
  /**
   * Prepares the model, so that a problem with it is reported before a message is stored. Throws the
   * problem, or `cancelled` when the signal aborts.
   */
  prepare(name: string, signal?: AbortSignal): Promise<void>;
  /** Returns a driver for calls to the model outside a session. Throws like `prepare`. */
  driverFor: DriverFor;
  list(query?: Partial<ModelsQuery>): Promise<Models>;
  /** Lists providers. Keys are not in the result. */
  providers(): Promise<ProviderList>;
}

export interface ConfigService {
  /** Returns the configuration with its secrets masked. */
  get(): Promise<ShownConfig>;
}

export interface SettingsService {
  get(): Promise<Settings>;
  /** @throws {LonghaulError} `config_invalid`, `unknown_model`; the settings are then unchanged. */
  put(change: SettingsBody): Promise<Settings>;
}

/** The MCP servers of sessions. */
export interface McpService {
  /** Reports the servers of a session, or of each server, the session that used it last. */
  list(sessionId: string | undefined): Promise<McpServerList>;
  /** Lists what a message can name of the running servers of a session. */
  offers(sessionId: string, signal: AbortSignal): Promise<McpOffers>;
}

/** Trust in the `longhaul.yml` of workspaces. */
export interface TrustService {
  /** @param folder Real path of an allowed folder. */
  get(folder: string): Promise<WorkspaceTrust>;
  /** @throws {LonghaulError} `invalid_request` if the files have changed; `forbidden` without a token. */
  answer(folder: string, answer: Omit<AnswerTrustBody, 'workspace'>): Promise<WorkspaceTrust>;
}

export interface ReplayService {
  /**
   * Measures strategies on a recorded session.
   *
   * @returns The report, and with `wantsPage` also as an HTML page.
   * @throws {LonghaulError} `invalid_request` for an unknown strategy; `cancelled` when the signal aborts.
   */
  replay(
    file: Uint8Array,
    options: {
      name: string;
      windows: readonly number[];
      strategies: readonly string[];
      wantsPage: boolean;
      signal: AbortSignal;
    },
  ): Promise<{ report: KnownFields<ReplayReport>; page?: string }>;
}

export interface SessionFileImporter {
  /** @throws {LonghaulError} `invalid_request` for a file that no importer can read. */
  import(
    file: Uint8Array,
    options: { workspace: string; name?: string; signal: AbortSignal },
  ): Promise<KnownFields<ImportResult>>;
}

/** How agents answer on the OpenAI API. */
export type OpenAiOptions = Config['server']['openai'];

export interface ServerLimits {
  /** Maximum size of a JSON body. */
  jsonBytes: number;
  /** Maximum size of a message with media, and of an imported file. */
  uploadBytes: number;
  /** Rate limit of each token. null: no limit. */
  rate: RateOptions | null;
  /** Time for receiving a request's headers. */
  headersTimeoutMs: number;
  /** Time without a byte of a request's body after which the request is refused. */
  bodyStallMs: number;
  /** Time for receiving a whole request. */
  requestTimeoutMs: number;
  /** Bytes that may wait for one reader of events. */
  readerBufferBytes: number;
  /** Bytes that may wait for all readers together. */
  readersBufferBytes: number;
  /** Maximum number of readers of events. */
  readers: number;
  /** Time without data after which a stream of events gets a comment. */
  heartbeatMs: number;
  /** Time that a reader has to receive the last event of a stream that the server ends. */
  goodbyeMs: number;
  /** Time that running steps have to finish when the server stops. */
  stopGraceMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  jsonBytes: 1_048_576,
  uploadBytes: 32 * 1_048_576,
  rate: { perSecond: 100, burst: 500 },
  headersTimeoutMs: 10_000,
  bodyStallMs: 15_000,
  requestTimeoutMs: 120_000,
  readerBufferBytes: 1_048_576,
  readersBufferBytes: 128 * 1_048_576,
  readers: 5_000,
  heartbeatMs: 15_000,
  goodbyeMs: 5_000,
  stopGraceMs: 20_000,
};

export interface ServerOptions {
  agent: ServedAgent;
  /** Address to listen on. */
  host: string;
  /** 0: any free port. */
  port: number;
  /** Listens on this Unix socket instead of `host` and `port`. Its folder must be closed to other users. */
  socketPath?: string;
  /** Required in every request except `/healthz` and `/readyz`. May be undefined only on a loopback address. */
  token?: string;
  /** Further tokens, with their own names and rights. Not used without a token. */
  namedTokens?: NamedTokens | undefined;
  /** Folders that sessions may work in, including their subfolders. At least one. */
  workspaces: readonly string[];
  /** Allowed names in the Host header, in addition to IP addresses and `localhost`. */
  hosts?: readonly string[];
  /** Runs at the same time, without those of child sessions. Null or absent: no limit. */
  maxRuns?: number | null;
  /** How it reaches the other servers, and they this one. Absent: they read all from the store. */
  cluster?: ClusterAddress | undefined;
  /** What it does, if it has a dispatcher. Default: everything. */
  role?: ServerRole;
  /** Addresses of proxies, or ranges of them, whose `X-Forwarded-For` and `X-Forwarded-Host` are used. */
  trustProxy?: readonly string[];
  /** Origins of other sites whose pages may use the server, such as `https://app.example.com`. */
  origins?: readonly string[];
  /**
   * Texts that are masked in events, exports and errors. A function is called for each text. The token is always
   * masked.
   */
  secrets?: readonly string[] | (() => readonly string[]);
  limits?: Partial<ServerLimits>;
  openai?: Partial<OpenAiOptions>;
  /** Measures strategies on recorded sessions. Absent: this server does not. */
  replay?: ReplayService | undefined;
  /** The folder of the built page, served under `/`. Absent: there is no page. */
  webFolder?: string | undefined;
  /** Looks at the machine for `/readyz` and `/metrics`. Absent: the sandbox and the disk are not checked. */
  probes?: HealthProbes | undefined;
  log: Logger;
  version: string;
}
