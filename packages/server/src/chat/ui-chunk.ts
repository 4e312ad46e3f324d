import type { JsonObject, JsonValue } from '@longhaul/protocol';

/** Metadata of an answer. The page stores it with the message and sends it back with the next request. */
export interface ChatMetadata {
  sessionId: string;
  /** Number of the last event that the message shows. */
  lastEvent?: number;
  status?: string;
  totalTokens?: number;
  cost?: number;
}

/** The parts of the AI SDK's UI message stream that the server uses (version 1 of the protocol, as of `ai` 7). */
export type UiChunk =
  | { type: 'start'; messageId?: string; messageMetadata?: ChatMetadata }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; dynamic: true; title?: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: JsonValue; dynamic: true }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: JsonValue; dynamic: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'data-compaction' | 'data-queue' | 'data-notice'; id?: string; data: JsonObject }
  | { type: 'data-status' | 'data-context' | 'data-progress'; data: JsonObject; transient: true }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason?: string }
  | { type: 'finish'; finishReason: UiFinishReason; messageMetadata: ChatMetadata };

export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
