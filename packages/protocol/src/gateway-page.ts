import { z } from 'zod';

/** What the page of the gateway shows, and what it can change. */

/** A number of tokens with its source, such as `Ollama /api/ps`. */
export interface SourcedWindow {
  windowTokens: number;
  source: string;
}

/** All that is known about the window of a model. */
export interface ModelWindows {
  /** The window that the gateway uses. Null: unknown, so requests pass unchanged. */
  used: SourcedWindow | null;
  /** As the server reports the loaded model. */
  loaded: SourcedWindow | null;
  /** As a refusal or a silently cut prompt has shown. */
  learned: SourcedWindow | null;
  configured: SourcedWindow | null;
  catalogue: SourcedWindow | null;
  /** The configuration key that sets it. */
  setting: string;
}

export interface PageModel {
  upstream: string;
  model: string;
  windows: ModelWindows;
  /** Whether the server lists it now. */
  isListed: boolean;
  requests: number;
  compactions: number;
  restarts: number;
  overflows: number;
  tokensSaved: number;
}

export interface PageUpstream {
  name: string;
  /** Without user and password. */
  baseUrl: string;
  compaction: boolean | 'required';
  /** Null: it was not asked yet. */
  state: 'answers' | 'failed' | null;
  /** Why its list of models could not be read. */
  problem: string | null;
  /** How many models its list has, also those that are not shown. */
  listedModels: number;
}

export interface PageCompaction {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  round: number;
  before: number;
  after: number;
  /** How many messages were sent unchanged, and how many the summary replaces. */
  kept: number;
  hidden: number;
  isByModel: boolean;
  /** Made before the gateway started, or for another conversation with the same beginning. */
  isFromCache: boolean;
}

export interface PageConversation {
  id: string;
  upstream: string;
  model: string;
  /** The beginning of the first message of the user. */
  title: string;
  /** The client's name of the chat or of its user. */
  chat: string | null;
  /** When its last request arrived, in milliseconds since 1970. */
  at: number;
  requests: number;
  messages: number;
  /** Tokens of the last request and its answer. */
  tokens: number;
  windowTokens: number | null;
  /** The oldest first. */
  compactions: PageCompaction[];
}

/** A message that a compaction has kept. */
export interface KeptMessage {
  role: string;
  /** The beginning of its text. */
  excerpt: string;
}

export interface CompactionDetail extends PageCompaction {
  ledger: string;
  /** Empty if no model wrote one. */
  narrative: string;
  /** The newest kept messages. */
  keptMessages: KeptMessage[];
}

/** Where a change of a setting is stored. */
export type SettingPlace = { file: string } | { notStored: string };

export interface PageSettings {
  compactor: string;
  inputThreshold: number;
  warningThreshold: number;
  places: Record<'compactor' | 'inputThreshold' | 'warningThreshold' | 'upstreams', SettingPlace>;
}

export interface GatewayPageState {
  startedAt: number;
  upstreams: PageUpstream[];
  models: PageModel[];
  /** The newest first. */
  conversations: PageConversation[];
  settings: PageSettings;
  /** Kinds of requests that are passed on and cannot be compacted. */
  unhelped: string[];
  errors: { at: number; code: string; upstream: string | null; model: string | null }[];
}

const share = z.number().gt(0).max(1);

/** A change of the settings on the page. What is absent stays as it is. */
export const pageSettingsChangeSchema = z.strictObject({
  compactor: z.string().min(1).max(500).optional(),
  inputThreshold: share.optional(),
  warningThreshold: share.optional(),
  /** Whether requests are compacted, by the names of upstreams. */
  compaction: z.record(z.string().max(200), z.boolean()).optional(),
});

export type PageSettingsChange = z.infer<typeof pageSettingsChangeSchema>;
