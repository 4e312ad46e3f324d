import type { ApprovalRule } from '@longhaul/approvals';
import type { TokenPrice } from '@longhaul/models';

/** The whole configuration, every default applied. Documented for users in docs/configuration.md. */
export interface Config {
  /** `provider/model`; absent: looked for. */
  model?: string;
  providers: Record<string, ProviderConfig>;
  agents: Record<string, AgentConfig>;
  context: {
    compression: CompressionConfig;
    /** Files of standing instructions in the workspace. */
    instructions: string[];
  };
  tools: {
    /** Cap for a tool without its own. */
    maxOutputChars: number;
    bash: { maxOutputChars: number; timeoutMs: number; maxTimeoutMs: number };
    read: { maxLines: number; maxLineLength: number };
    grep: { maxMatches: number };
    list: { maxEntries: number };
  };
  sandbox: {
    driver: 'auto' | 'docker' | 'bubblewrap' | 'local';
    image: string;
    network: 'on' | 'off';
    memoryMb: number;
    pids: number;
    cpus: number;
    /** Names of variables of the host's environment that commands see. */
    env: string[];
  };
  /** `null`: no limit. */
  limits: {
    steps: number | null;
    tokens: number | null;
    costUsd: number | null;
    minutes: number | null;
    /** `null`: nothing is a loop. */
    repeatedCalls: number | null;
  };
  retry: { attempts: number; overloadAttempts: number; totalMs: number; stallMs: number };
  /** The last one that matches a call decides. Without one: allowed in a sandbox, asked for in `local`. */
  approvals: ApprovalRule[];
  /** What nobody has answered is refused after this time. `null`: it waits. */
  approvalTimeoutMs: number | null;
  storage: {
    url: string;
    /** What `longhaul gc` may drop of sessions; `null`: nothing. */
    retention: { days: number | null; maxBytes: number | null };
  };
  server: ServerConfig;
  gateway: GatewayConfig;
  telemetry: { otlp: string | null };
}

export interface ServerConfig {
  host: string;
  port: number;
  /** Folders that sessions may work in, or inside of. Empty: the folder that the server was started in. */
  workspaces: string[];
  /** Names by which it may be called, beside addresses and localhost. */
  hosts: string[];
  /** Origins of other sites whose pages may use it. */
  origins: string[];
  maxBodyBytes: number;
  maxUploadBytes: number;
  /** Of one address; `null`: no limit. Five times as many may come at once. */
  requestsPerSecond: number | null;
  stopGraceMs: number;
  /** Agents as models of OpenAI's API. */
  openai: {
    /** What happens to a turn whose client leaves. */
    onDisconnect: 'cancel' | 'continue';
    /** What becomes of a call that needs approval. `wait`: somebody answers over the other API. */
    ask: 'deny' | 'wait';
    /** Where a client sees what tools do. */
    activity: 'reasoning' | 'comment' | 'off';
    /** `own`: each new chat gets a folder of its own below the first workspace. */
    workspace: 'shared' | 'own';
  };
}

export interface GatewayConfig {
  host: string;
  port: number;
  /** Clients bring it as their API key. */
  token?: string;
  upstreams: GatewayUpstreamConfig[];
  /** How a client is told that its history is compacted. */
  notices: (typeof NOTICE_MANNERS)[number];
  /** Streams are asked for their usage. */
  learnUsage: boolean;
  /** Share of the window from which on a request is compacted. */
  inputThreshold: number;
  /** Share of the window at which a stream is stopped and gone on with. */
  warningThreshold: number;
}

export interface GatewayUpstreamConfig {
  /** Key and models of the provider of this name are its. */
  name: string;
  baseUrl: string;
  /** Absent: true. */
  compaction?: boolean;
  apiKey?: string;
}

export interface CompressionConfig {
  /** A name of `STRATEGY_NAMES`, or the path of a module. */
  strategy: string;
  /** `null`: the strategy's own. */
  trigger: CompressionTrigger | null;
  auto: boolean;
  /** Who writes summaries: `__same__`, `provider/model`, or `none`. */
  model: string;
  options: {
    preserveLastNTurns: number;
    recentMessagesToKeep: number;
    pruneProtectTokens: number;
    pruneMinimumTokens: number;
    /** Share of the window that the ledger may take. */
    ledgerShare: number;
  };
}

export type CompressionTrigger = 'overflow' | 'manual' | { threshold: number };

export interface ProviderConfig {
  /** Absent: by the provider's name, else `openai-compatible`. */
  kind?: ProviderKind;
  baseUrl?: string;
  apiKey?: string;
  models?: Record<string, ModelConfig>;
}

export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export interface ModelConfig {
  /** Tokens. */
  window?: number;
  /** Tokens. */
  maxOutput?: number;
  price?: TokenPrice;
  accepts?: { images?: boolean; files?: boolean };
  /**
   * For chat templates in which user and assistant must alternate and no system message may stand; `alternate`: one may, at the
   * beginning. Default false.
   */
  strictRoles?: boolean | 'alternate';
}

export interface AgentConfig {
  model?: string;
  /** Path of a file. */
  prompt?: string;
  tools?: string[];
}

/** One layer: what a file, a flag or a client sets. Lists replace, objects merge. */
export type ConfigInput = DeepPartial<Config>;

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
] as const;

export const NOTICE_MANNERS = ['text', 'comment', 'reasoning', 'off'] as const;

export const STRATEGY_NAMES = [
  'reactive-overflow',
  'proactive-threshold',
  'structured-summary',
  'middle-removal',
  'pruning-agent',
] as const;

/** Every default, in one place. Plain data, so that a run without a file loads neither a schema nor a parser. */
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
        pruneProtectTokens: 40_000,
        pruneMinimumTokens: 20_000,
        ledgerShare: 0.2,
      },
    },
    instructions: ['AGENTS.md'],
  },
  tools: {
    maxOutputChars: 120_000,
    bash: { maxOutputChars: 30_000, timeoutMs: 60_000, maxTimeoutMs: 600_000 },
    read: { maxLines: 2000, maxLineLength: 2000 },
    grep: { maxMatches: 1000 },
    list: { maxEntries: 1000 },
  },
  sandbox: {
    driver: 'auto',
    image: 'node:24-bookworm',
    network: 'on',
    memoryMb: 2048,
    pids: 512,
    cpus: 2,
    env: [],
  },
  limits: { steps: null, tokens: null, costUsd: null, minutes: null, repeatedCalls: 3 },
  retry: { attempts: 6, overloadAttempts: 30, totalMs: 900_000, stallMs: 120_000 },
  approvals: [],
  approvalTimeoutMs: null,
  storage: {
    url: 'sqlite:~/.local/share/longhaul/longhaul.db',
    retention: { days: null, maxBytes: null },
  },
  server: {
    host: '127.0.0.1',
    port: 4140,
    workspaces: [],
    hosts: [],
    origins: [],
    maxBodyBytes: 1_048_576,
    maxUploadBytes: 33_554_432,
    requestsPerSecond: 100,
    stopGraceMs: 20_000,
    openai: { onDisconnect: 'cancel', ask: 'deny', activity: 'reasoning', workspace: 'shared' },
  },
  gateway: {
    host: '127.0.0.1',
    port: 4141,
    upstreams: [{ name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' }],
    notices: 'text',
    learnUsage: true,
    inputThreshold: 0.8,
    warningThreshold: 0.9,
  },
  telemetry: { otlp: null },
};
