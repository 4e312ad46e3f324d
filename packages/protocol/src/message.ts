import type { JsonObject, JsonValue } from './json.ts';
import type { TokenUsage } from './usage.ts';

/**
 * Provider-owned data (Anthropic signatures, Gemini thought signatures), kept as it came and returned only to the model
 * that wrote it. Outer key: the provider's name.
 */
export type ProviderMetadata = Record<string, JsonObject>;

/**
 * Where the bytes of an image or file are: base64 text, or `@blob:<sha256>` once they are in the blob store.
 * What a session stores is always the second form.
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

/** What a user message can hold when it is sent. */
export type UserMessageContentPart = TextContent | ImageContent | FileContent;

/** What a tool can return. */
export type ToolOutputContent = TextContent | ImageContent | FileContent;

/** `running` while it streams; `done` closed whole; `interrupted` closed by a cancel, a failure or a crash. */
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
 * `pending`: committed, not started. `running`: started. `completed`: the tool returned. `error`: it failed, was refused, or
 * its input was invalid. `interrupted`: no result is known; it may or may not have happened.
 */
export type ToolState = 'pending' | 'running' | 'completed' | 'error' | 'interrupted';

/** A tool call and its result: one part, so that neither half can be lost alone. */
export interface ToolPart {
  type: 'tool';
  callId: string;
  name: string;
  /** The parsed arguments; for an invalid call, whatever could be read of them, or `{}`. */
  input: JsonValue;
  /** The arguments as they came, present only when they were not a JSON object. */
  inputText?: string;
  state: ToolState;
  title?: string;
  output?: ToolOutputContent[];
  error?: string;
  /** The output was cut; the whole text can be read by `handle`. */
  truncated?: boolean;
  /** The name by which `recall` finds this part's full output, such as `m12.3`. */
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

/** A remark of the runtime inside a message: shown to a person, and sent to the model as text only when `forModel`. */
export interface NoticePart {
  type: 'notice';
  text: string;
  forModel: boolean;
}

export type Part = TextPart | ReasoningPart | ToolPart | FilePart | NoticePart;

export type Role = 'user' | 'assistant';

/**
 * `running`: still being written. `done`: closed whole. `failed`, `interrupted`: closed by an error, or by a cancel or
 * crash. What stands in it stays.
 */
export type MessageStatus = 'running' | 'done' | 'failed' | 'interrupted';

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other';

/**
 * Why a user message exists that no user wrote. `injected`: in an imported session, the recorded agent's own runtime put it there
 * (instruction files, reminders, summaries, outputs of the user's commands).
 */
export type SyntheticReason =
  | 'continue-cut'
  | 'continue-length'
  | 'continue-empty'
  | 'continue-truncated'
  | 'continue-limit'
  | 'doom-loop'
  | 'limit'
  | 'injected';

export interface MessageMetadata {
  /** Several queued messages became this one. */
  coalesced?: true;
  messageCount?: number;
  originalMessages?: string[];
  synthetic?: SyntheticReason;
  [key: string]: JsonValue | undefined;
}

/** One user message, or the outcome of one step (one model call and the tools it asked for). */
export interface Message {
  /** UUIDv7: ids ascend with time. */
  id: string;
  sessionId: string;
  /** 1, 2, 3… in its session, without holes. */
  sequence: number;
  role: Role;
  parts: Part[];
  status: MessageStatus;
  createdAt: number;
  /** Estimated tokens of the message as the model would see it, without marks. */
  tokenCount: number;
  finishReason?: FinishReason;
  usage?: TokenUsage;
  /** US dollars. Absent when the model's price is unknown. */
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
  metadata?: JsonObject;
}

/** A user message waiting for the next step. */
export interface QueuedMessage {
  id: string;
  content: UserMessageContentPart[];
  queuedAt: number;
  metadata?: JsonObject;
}

/** Several queued messages made one. */
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

/** The blob's id if `data` is a reference to one, else undefined. */
export function parseBlobReference(data: MediaData): string | undefined {
  const match = /^@blob:([0-9a-f]{64})$/.exec(data);
  return match?.[1];
}

/** The name by which `recall` finds a message (`m12`) or one of its parts (`m12.3`). */
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
