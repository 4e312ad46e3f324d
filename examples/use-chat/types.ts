import type { UIMessage } from 'ai';

/** Metadata that the server adds to an answer. */
interface ChatMetadata {
  sessionId: string;
  lastEvent?: number;
  status?: string;
}

// A type alias instead of an interface, because the SDK requires an index signature.
export type ChatData = {
  compaction: { originalTokens: number; compressedTokens: number; round: number };
  notice: { message: string };
  context: { tokens: number; usableTokens: number; windowTokens: number };
};

export type ChatMessage = UIMessage<ChatMetadata, ChatData>;
