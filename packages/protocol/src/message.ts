import type { PatchPart } from './file-change.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { TokenUsage } from './usage.ts';

/**
 * Data that belongs to a provider, such as Anthropic signatures or Gemini thought signatures. It is kept unchanged and
 * returned only to the model that wrote it. The outer key is the provider's name.
 */
export type ProviderMetadata = Record<string, JsonObject>;

/**
 * The bytes of an image or file: base64 text, or `@blob:<sha256>` once they are in the blob store. Sessions store only
 * the second form.
 */
export type MediaData = string;

export interface TextContent {
  type: 'text';
  text: string;
}
export interface ImageContent {
  type: 'image';
  data: MediaData;
  mediaType?: string;
}
export interface FileContent {
  type: 'file';
  data: MediaData;
  mediaType: string;
  filename?: string;
}

/** What a user message can contain when it is sent. */
export type UserMessageContentPart = TextContent | ImageContent | FileContent;

/** What a tool can return. */
export type ToolOutputContent = TextContent | ImageContent | FileContent;

/** `running`: still streaming. `done`: closed and complete. `interrupted`: closed by a cancel, a failure or a crash. */
export type StreamState = 'running' | 'done' | 'interrupted';

export interface TextPart {
  type: 'text';
  text: string;
  state: StreamState;
  providerMetadata?: ProviderMetadata;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  state: StreamState;
  providerMetadata?: ProviderMetadata;
}

/**
 * `pending`: stored, not started. `running`: started. `completed`: the tool returned. `error`: the tool failed, was
 * refused, or got invalid input. `interrupted`: the result is unknown; the call may have taken effect or not.
 */
export type ToolState = 'pending' | 'running' | 'completed' | 'error' | 'interrupted';

/** A tool call and its result. They are one part, so that neither can exist without the other. */
export interface ToolPart {
  type: 'tool';
  callId: string;
  name: string;
  /** The parsed arguments. For an invalid call, what could be parsed of them, or `{}`. */
  input: JsonValue;
  /** The raw arguments. Present only if they are not a JSON object. */
  inputText?: string;
  state: ToolState;
  title?: string;
  output?: ToolOutputContent[];
  error?: string;
  /** Whether the output was cut. `handle` gives the whole text. */
  truncated?: boolean;
  /** The handle with which `recall` reads this part's full output, such as `m12.3`. */
  handle?: string;
  /** `@blob:<sha256>` of the full text of a cut output. */
  fullOutput?: string;
  metadata?: JsonObject;
  startedAt?: number;
  endedAt?: number;
  providerMetadata?: ProviderMetadata;
}

export interface FilePart {
  type: 'file';
  mediaType: string;
  data: MediaData;
  filename?: string;
}

/**
 * A note of the runtime inside a message. People always see it; the model gets it as text only if `forModel` is true.
 */
export interface NoticePart {
  type: 'notice';
  text: string;
  forModel: boolean;
}

export type Part = TextPart | ReasoningPart | ToolPart | FilePart | NoticePart | PatchPart;

export type Role = 'user' | 'assistant';

/**
 * `running`: still being written. `done`: closed and complete. `failed`: closed by an error. `interrupted`: closed by a
 * cancel or crash. Its parts are kept in every case.
 */
export type MessageStatus = 'running' | 'done' | 'failed' | 'interrupted';

/**
 * Why an answer ended. `paused`: the provider asks to continue the turn. `other`: a reason that is not known, so the
 * answer may be incomplete.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'paused' | 'error' | 'other';

/**
 * Why a user message exists that no user wrote. `background`: commands in the background have ended. `budget`: the
 * context is getting full. `environment`: the date, or another fact in the system text, has changed. `hook`: a hook of the user has added a text. `skills`: a compaction has hidden the skills in use, so they
 * were read again. `files-changed`: others have changed files of the workspace. `injected`: in an imported session, the
 * recorded agent's runtime added it (instruction files, reminders, summaries, outputs of the user's commands).
 * `sent`: other sessions sent it, or it has results of child sessions; `origins` names them.
 */
export type SyntheticReason =
  | 'continue-cut'
  | 'continue-paused'
  | 'continue-length'
  | 'continue-empty'
  | 'continue-truncated'
  | 'continue-limit'
  | 'continue-open'
  | 'background'
  | 'budget'
  | 'doom-loop'
  | 'environment'
  | 'files-changed'
  | 'hook'
  | 'limit'
  | 'refused'
  | 'sent'
  | 'skills'
  | 'injected';

/**
 * Where a queued message comes from if no user wrote it. `session`: another session has sent it. `subtask`: it is the
 * result of a child session, and `handle` names the call that started the child. Only the runtime sets it.
 */
export type MessageOrigin = {
  kind: 'session' | 'subtask';
  sessionId: string;
  handle?: string;
  title?: string;
  /** How many messages of sessions led to this one, each an answer to the one before, since a user wrote. */
  hops?: number;
};

export interface MessageMetadata {
  /** Several queued messages were combined into this one. */
  coalesced?: true;
  messageCount?: number;
  originalMessages?: string[];
  /** Lists of patterns: while the model answers, it is offered the tools that match each list. */
  tools?: string[][];
  synthetic?: SyntheticReason;
  /** Where the messages combined into this one come from, in order. Absent if a user wrote them. */
  origins?: MessageOrigin[];
  [key: string]: JsonValue | undefined;
}

/** A user message, or the outcome of one step (one model call and the tools it requested). */
export interface Message {
  /** A UUIDv7: ids ascend with time. */
  id: string;
  sessionId: string;
  /** 1, 2, 3… in its session, without gaps. */
  sequence: number;
  role: Role;
  parts: Part[];
  status: MessageStatus;
  createdAt: number;
  /** Estimated tokens of the message as the model would see it without marks. */
  tokenCount: number;
  finishReason?: FinishReason;
  usage?: TokenUsage;
  /** In US dollars. Absent if the model's price is unknown. */
  cost?: number;
  /** `provider/model`. */
  model?: string;
  metadata?: MessageMetadata;
}

export type SessionStatus = 'active' | 'completed' | 'failed' | 'cancelled';

export interface Session {
  id: string;
  createdAt: number;
  updatedAt: number;
  status: SessionStatus;
  /** The first user message's text, cut to 2 000 characters. */
  task: string;
  title: string;
  /** `provider/model`. */
  model: string;
  /** Absolute path of the workspace on the machine that runs the agent. */
  workspace: string;
  /** The session whose call of `task` started this one. */
  parentId?: string;
  /** Id of that call, as the provider gave it. */
  parentCallId?: string;
  /** What was done, in a few sentences. */
  summary?: string;
  metadata?: JsonObject;
}

/** A user message waiting for the next step. With `origin` in its metadata, no user wrote it (see `originOf`). */
export interface QueuedMessage {
  id: string;
  content: UserMessageContentPart[];
  queuedAt: number;
  metadata?: JsonObject;
}

/** Several queued messages combined into one. */
export interface CoalescedMessage {
  messages: QueuedMessage[];
  combinedContent: UserMessageContentPart[];
  firstQueuedAt: number;
  lastQueuedAt: number;
}

const BLOB_PREFIX = '@blob:';

export function blobReference(id: string): string {
  return BLOB_PREFIX + id;
}

/** Returns the blob's id if `data` is a reference to one, otherwise undefined. */
export function parseBlobReference(data: MediaData): string | undefined {
  const match = /^@blob:([0-9a-f]{64})$/.exec(data);
  return match?.[1];
}

/** Returns the handle with which `recall` reads a message (`m12`) or one of its parts (`m12.3`). */
export function handleOf(sequence: number, partIndex?: number): string {
  return partIndex === undefined ? `m${sequence}` : `m${sequence}.${partIndex}`;
}

export function parseHandle(handle: string): { sequence: number; partIndex?: number } | undefined {
  const match = /^m(\d{1,9})(?:\.(\d{1,6}))?$/.exec(handle.trim());
  if (match === null) return undefined;
  const sequence = Number(match[1]);
  return match[2] === undefined ? { sequence } : { sequence, partIndex: Number(match[2]) };
}

export function isOpen(part: Part): boolean {
  if (part.type === 'tool') return part.state === 'pending' || part.state === 'running';
  if (part.type === 'text' || part.type === 'reasoning') return part.state === 'running';
  return false;
}
