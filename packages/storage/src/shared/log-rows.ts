import type { Compaction, Mark, Message, Part } from '@longhaul/protocol';
import type { MessageIds } from './hidden-messages.ts';

/** The rows of a session's log, as each database returns them. Types, not interfaces: a row can be read by name. */

export type MessageRow = {
  id: string;
  sessionId: string;
  sequence: number;
  role: Message['role'];
  status: Message['status'];
  tokenCount: number;
  createdAt: number;
  finishReason: Message['finishReason'] | null;
  usage: string | null;
  cost: number | null;
  model: string | null;
  metadata: string | null;
  checksum: number | null;
};

/** Identifies a part among those that are read together. */
export type PartKey = number | string;

export type PartRow = {
  key: PartKey;
  messageId: string;
  index: number;
  type: Part['type'];
  state: string | null;
  body: string;
  checksum: number | null;
};

export type ChunkRow = {
  partKey: PartKey;
  text: string;
  checksum: number | null;
};

export type MarkRow = {
  id: string;
  sessionId: string;
  kind: Mark['kind'];
  body: string | null;
  undoneAt: number | null;
  checksum: number | null;
};

export type CompactionRow = {
  id: string;
  sessionId: string;
  round: number;
  strategy: string;
  reason: Compaction['reason'];
  tokensBefore: number;
  tokensAfter: number;
  summaryContent: string;
  hides: string;
  createdAt: number;
  undoneAt: number | null;
  checksum: number | null;
};

export interface MessageRows {
  messages: MessageRow[];
  parts: PartRow[];
  chunks: ChunkRow[];
}

export interface MarkRows {
  marks: MarkRow[];
  compactions: CompactionRow[];
  /** Ids of all messages of the session; empty if it has no compactions. */
  messageIds: MessageIds;
}

/** All rows of a session's log. */
export interface LogRows extends MessageRows, MarkRows {}
