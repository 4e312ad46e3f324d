import type { ApprovalRule } from '@longhaul/approvals';

export { STRATEGY_NAMES } from '@longhaul/context/strategy-names';

import type { HookName } from '@longhaul/core';
import type { CallSettings, TokenPrice } from '@longhaul/models';
import { type Budget, type BudgetScope, type JsonObject, NO_BUDGETS } from '@longhaul/protocol';
import type { GitConfig } from './git-access.ts';
import type { StoredKeys } from './key-store.ts';
import type { ProjectPart } from './trust/project-part.ts';

/** The complete configuration with all defaults applied. Users find it in docs/configuration.md. */
export interface Config {
  /** `provider/model`. Absent: a model is looked for. */
  model?: string;
  providers: Record<string, ProviderConfig>;
  agents: Record<string, AgentConfig>;
  context: {
    compression: CompressionConfig;
    /** Instruction files in the workspace. */
    instructions: string[];
    /** Whether the model learns how full its context is, and may keep facts and ask for a compaction. */
    budgetNotes: boolean;
  };
  tools: {
    /** Maximum characters of output of a tool without its own limit. */
    maxOutputChars: number;
    /** Whether events have what a tool returned, neither cleaned nor cut. */
    rawResults: boolean;
    bash: { maxOutputChars: number; timeoutMs: number; maxTimeoutMs: number };
    read: { maxLines: number; maxLineLength: number };
    grep: { maxMatches: number; shownMatches: number };
    list: { maxEntries: number };
    fetch: {
      maxOutputChars: number;
      /** Hosts on this machine or a private network that may be read. */
      privateHosts: string[];
    };
  };
  sandbox: {
    driver: 'auto' | 'docker' | 'bubblewrap' | 'seatbelt' | 'local';
    image: string;
    network: 'on' | 'off';
    memoryMb: number;
    pids: number;
    cpus: number;
    /** Names of environment variables of the host that are passed to commands. `all`: all but providers' keys. */
    env: string[] | 'all';
    /** Processes that commands leave running live on after the run. Only with `local`. */
    keepProcesses: boolean;
  };
  /** What is recorded of the workspace's files. */
  files: {
    record: boolean;
    /** Larger files are recorded by name, size and hash. MiB. */
    maxFileMb: number;
    /** Patterns as in a .gitignore file, in addition to such files. */
    ignore: string[];
    /** Patterns of files with secrets, in addition to the built-in ones. */
    secret: string[];
  };
  /** Commands that run at events of a run, by name. */
  hooks: Record<string, HookConfig>;
  /** Servers of the Model Context Protocol. */
  mcp: {
    servers: Record<string, McpServerConfig>;
    /** Share of the usable tokens above which the servers' tools are deferred. */
    deferOver: number;
  };
  /** Files of other agents that are read too. */
  compat: {
    /** Commands of Claude Code in `.claude/commands`. */
    claude: boolean;
  };
  terminal: {
    /** The background for which colours are chosen. `auto`: what the terminal says. */
    theme: 'auto' | 'dark' | 'light';
  };
  /** `null`: no limit. */
  limits: {
    steps: number | null;
    tokens: number | null;
    costUsd: number | null;
    minutes: number | null;
    /** Repetitions that count as a loop. `null`: never. */
    repeatedCalls: number | null;
  };
  /** What model calls may use together: in a session, for a named token, on a day. `null`: no limit. */
  budgets: Record<BudgetScope, Budget>;
  /** Child sessions, which the tool `task` starts. */
  subtasks: {
    /** How many children of one session run at once. */
    atOnce: number;
    /** 1: children have no children. 0: there are no children. */
    depth: number;
  };
  sessions: {
    /** Whether a model is asked for the titles of sessions. */
    titles: boolean;
    /** Patterns of the sessions to which agents may write. */
    talk: string[];
  };
  continuation: {
    /** Whether a run asks the model once about open todo items or an announced step before it accepts an answer. */
    askOpenItems: boolean;
  };
  retry: { attempts: number; overloadAttempts: number; totalMs: number; stallMs: number };
  /** The last matching rule decides. Without one, a call is allowed in a sandbox and needs approval in `local`. */
  approvals: ApprovalRule[];
  /** An unanswered request is refused after this time. `null`: never. */
  approvalTimeoutMs: number | null;
  storage: {
    url: string;
    /** Where the blobs of a PostgreSQL database are: `postgres`, `s3://…` or a folder. `null`: a folder of this machine. */
    blobs: string | null;
    /** Which sessions `longhaul gc` may delete. `null`: none. */
    retention: { days: number | null; maxBytes: number | null };
    /** What one session keeps of cut tool outputs, in MiB. */
    keptOutput: { maxMb: number; deleteOldest: boolean };
  };
  server: ServerConfig;
  /** Several servers that share a PostgreSQL database. */
  cluster: {
    /** The name of this machine. `null`: its host name. */
    machine: string | null;
    /** Where the other servers reach this one. `null`: where it listens. */
    address: string | null;
    secret: string | null;
  };
  /** Repositories that are cloned for sessions. */
  git: GitConfig;
  /** The page that `longhaul serve` serves to browsers. */
  web: { enabled: boolean };
  gateway: GatewayConfig;
  telemetry: { otlp: string | null };
  embedded: EmbeddedConfig;
  /** What a trusted project's file set. Absent without such a file. */
  project?: ProjectPart;
  /** Keys that the user stored with `longhaul login`. They come from no settings file. */
  storedKeys?: StoredKeys;
  /** What of other agents' files does not take effect, and why. */
  warnings?: readonly string[];
}

/** Models that run on this machine, in a process of Longhaul. */
export interface EmbeddedConfig {
  /** Tokens. `null`: chosen from the free memory. */
  window: number | null;
  /** Minutes without a request after which the process of a model ends. */
  idleMinutes: number;
  /** What is kept of each model's sessions on disk, so that they are not read again. GB. */
  stateGb: number;
  /** Whether a graphics processor is used where there is one. */
  gpu: boolean;
}

export interface ServerConfig {
  host: string;
  port: number;
  /** Folders in or below which sessions may work. Empty: the folder in which the server was started. */
  workspaces: string[];
  /** Host names of the server, besides addresses and localhost. */
  hosts: string[];
  /** Origins of other sites whose pages may use the server. */
  origins: string[];
  /** Addresses of proxies whose forwarded headers are used. */
  trustProxy: string[];
  maxBodyBytes: number;
  maxUploadBytes: number;
  /** Limit of each token. Bursts may be five times as large. `null`: no limit. */
  requestsPerSecond: number | null;
  /** Runs at the same time. Others wait for a place. `auto`: what memory and processors allow. `null`: no limit. */
  maxRuns: number | 'auto' | null;
  stopGraceMs: number;
  /** Agents as models of OpenAI's API. */
  openai: {
    /** What happens to a turn when its client disconnects. `auto`: only a streamed answer is cancelled. */
    onDisconnect: 'auto' | 'cancel' | 'continue';
    /** What happens to a call that needs approval. `wait`: waits for an answer over the session API. */
    ask: 'deny' | 'wait';
    /** Where tool calls are shown to clients. */
    activity: 'reasoning' | 'comment' | 'off';
    /** `own`: each new chat gets its own folder below the first workspace. */
    workspace: 'shared' | 'own';
  };
}

export interface GatewayConfig {
  host: string;
  port: number;
  /** Clients send it as their API key. */
  token?: string;
  upstreams: GatewayUpstreamConfig[];
  /** Host names of the gateway, besides addresses and localhost. */
  hosts: string[];
  /** Origins of pages that may use the gateway, besides those of this machine. */
  origins: string[];
  /** Where a compaction is announced to clients. */
  notices: (typeof NOTICE_MANNERS)[number];
  /** Whether streams are requested with usage figures. */
  learnUsage: boolean;
  /** The model that writes summaries. Default: `context.compression.model`. */
  compactor?: string;
  /** Share of the window at which a request is compacted. */
  inputThreshold: number;
  /** Share of the window at which a stream is stopped and continued in a new request. */
  warningThreshold: number;
}

export interface GatewayUpstreamConfig {
  /** The upstream uses the key and the models of the provider with this name. */
  name: string;
  baseUrl: string;
  /**
   * Default true. `required`: requests to a model whose window is unknown are refused. `required-off`: as false, and
   * `required` when it is switched on.
   */
  compaction?: boolean | 'required' | 'required-off';
  apiKey?: string;
  /** Whether the clients' key is meant for this upstream. */
  clientKey?: boolean;
}

export interface HookConfig {
  on: HookName;
  command: string;
  /** Names of tools, separated by `|`. Default: all. */
  tools?: string;
  timeoutMs?: number;
  /** Whether it runs on this machine, outside of the sandbox. Default false. */
  onHost?: boolean;
}

export interface CompressionConfig {
  /** One of `STRATEGY_NAMES`, or the path of a module. */
  strategy: string;
  /** `null`: the strategy's own trigger. */
  trigger: CompressionTrigger | null;
  auto: boolean;
  /** The model that writes summaries: `__same__`, `provider/model`, or `none`. */
  model: string;
  options: {
    preserveLastNTurns: number;
    recentMessagesToKeep: number;
    /** Null: chosen from the window. */
    pruneProtectTokens: number | null;
    pruneMinimumTokens: number | null;
    /** Share of the space for messages that the ledger may use. */
    ledgerShare: number;
  };
}

export type CompressionTrigger = 'overflow' | 'manual' | { threshold: number };

export interface ProviderConfig extends CallSettings {
  /** Absent: the provider's name if it is a kind, otherwise `openai-compatible`. */
  kind?: ProviderKind;
  baseUrl?: string;
  apiKey?: string;
  /** A value that is `$NAME` is read from the environment. */
  headers?: Record<string, string>;
  body?: JsonObject;
  /** Of all models of this provider. */
  accepts?: { images?: boolean; files?: boolean };
  models?: Record<string, ModelConfig>;
}

/** The settings of a provider that are one value: who is called, with which key, and what else is sent there. */
export const ENDPOINT_KEYS: ReadonlySet<string> = new Set(['kind', 'baseUrl', 'apiKey', 'headers', 'body']);

export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Settings of a call that are set for a model replace those of its provider. */
export interface ModelConfig extends CallSettings {
  /** Tokens. */
  window?: number;
  /** Tokens. */
  maxOutput?: number;
  price?: TokenPrice;
  accepts?: { images?: boolean; files?: boolean };
  /**
   * For chat templates that require alternating user and assistant messages and refuse system messages. `alternate`:
   * one system message is allowed, at the beginning. Default false.
   */
  strictRoles?: boolean | 'alternate';
}

/** A server is started with `command`, or is at `url`. */
export interface McpServerConfig {
  command?: string;
  args?: string[];
  /**
   * Variables of a started server, in addition to a safe minimum. A value that is `$NAME` is read from the environment.
   */
  env?: Record<string, string>;
  /** Folder of a started server. Absent: the session's workspace. */
  cwd?: string;
  /** A started server runs in a sandbox. Absent: it runs on this machine. */
  sandbox?: boolean;
  url?: string;
  /** Sent with each request. A value that is `$NAME` is read from the environment. */
  headers?: Record<string, string>;
  /** How a person logs in. Absent: Longhaul registers itself as a client. */
  oauth?: {
    clientId?: string;
    /** The name of the variable that has the secret of the client. */
    clientSecretEnv?: string;
    /** Absent: what the server names. */
    scope?: string;
    /** Absent: a free port. */
    callbackPort?: number;
  };
  enabled?: boolean;
  /** Names or patterns of the tools that are used. Absent: all. */
  tools?: string[];
  timeoutMs?: number;
  /** The server may use the model of the session during calls. Absent: it may not. */
  sampling?: boolean;
}

export interface AgentConfig {
  /** For people who choose an agent. */
  description?: string;
  model?: string;
  /** Path of the file with the system prompt. */
  prompt?: string;
  tools?: string[];
  /** What overrides the settings of the same names for this agent's sessions. */
  context?: {
    compression?: Partial<Omit<CompressionConfig, 'options'>> & {
      options?: Partial<CompressionConfig['options']>;
    };
  };
  limits?: Partial<Config['limits']>;
}

/** One layer: the settings of a file, of flags or of a client. Lists replace, objects merge. */
export type ConfigInput = DeepPartial<Omit<Config, 'project' | 'storedKeys' | 'warnings'>>;

type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value;

export const PROVIDER_KINDS = [
  'anthropic',
  'openai',
  'google',
  'openai-compatible',
  'lmstudio',
  'ollama',
  'llamacpp',
  'vllm',
  'embedded',
] as const;

export const NOTICE_MANNERS = ['text', 'comment', 'reasoning', 'off'] as const;

/** All defaults. Plain data, so that a run without a file loads neither a schema nor a parser. */
export const DEFAULT_CONFIG: Config = {
  providers: {},
  agents: {},
  context: {
    compression: {
      strategy: 'reactive-overflow',
      trigger: null,
      auto: true,
      model: '__same__',
      options: {
        preserveLastNTurns: 2,
        recentMessagesToKeep: 10,
        pruneProtectTokens: null,
        pruneMinimumTokens: null,
        ledgerShare: 0.2,
      },
    },
    instructions: ['AGENTS.md'],
    budgetNotes: true,
  },
  tools: {
    maxOutputChars: 120_000,
    rawResults: false,
    bash: { maxOutputChars: 30_000, timeoutMs: 120_000, maxTimeoutMs: 600_000 },
    read: { maxLines: 2000, maxLineLength: 2000 },
    grep: { maxMatches: 1000, shownMatches: 100 },
    list: { maxEntries: 1000 },
    fetch: { maxOutputChars: 30_000, privateHosts: [] },
  },
  sandbox: {
    driver: 'auto',
    image: 'node:24-bookworm',
    network: 'on',
    memoryMb: 2048,
    pids: 512,
    cpus: 2,
    env: [],
    keepProcesses: false,
  },
  files: { record: true, maxFileMb: 20, ignore: ['node_modules/', '.venv/', '__pycache__/'], secret: [] },
  hooks: {},
  mcp: { servers: {}, deferOver: 0.1 },
  compat: { claude: false },
  terminal: { theme: 'auto' },
  limits: { steps: null, tokens: null, costUsd: null, minutes: null, repeatedCalls: 3 },
  budgets: { ...NO_BUDGETS },
  subtasks: { atOnce: 4, depth: 2 },
  sessions: { titles: true, talk: [] },
  continuation: { askOpenItems: true },
  retry: { attempts: 6, overloadAttempts: 30, totalMs: 900_000, stallMs: 120_000 },
  approvals: [],
  approvalTimeoutMs: null,
  storage: {
    url: 'sqlite:~/.local/share/longhaul/longhaul.db',
    blobs: null,
    retention: { days: null, maxBytes: null },
    keptOutput: { maxMb: 256, deleteOldest: false },
  },
  server: {
    host: '127.0.0.1',
    port: 4140,
    workspaces: [],
    hosts: [],
    origins: [],
    trustProxy: [],
    maxBodyBytes: 1_048_576,
    maxUploadBytes: 33_554_432,
    requestsPerSecond: 100,
    maxRuns: 'auto',
    stopGraceMs: 20_000,
    openai: { onDisconnect: 'auto', ask: 'deny', activity: 'reasoning', workspace: 'shared' },
  },
  cluster: { machine: null, address: null, secret: null },
  git: { hosts: ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'], tokens: {}, local: false },
  web: { enabled: true },
  gateway: {
    host: '127.0.0.1',
    port: 4141,
    upstreams: [{ name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' }],
    hosts: [],
    origins: [],
    notices: 'text',
    learnUsage: true,
    inputThreshold: 0.8,
    warningThreshold: 0.9,
  },
  telemetry: { otlp: null },
  embedded: { window: null, idleMinutes: 10, stateGb: 4, gpu: true },
};
