import type { UIMessage } from 'ai';

/** What the server says beside an answer's text. */
interface ChatMetadata {
  sessionId: string;
  lastEvent?: number;
  status?: string;
}

// An alias, not an interface: the SDK wants an index signature.
export type ChatData = {
  compaction: { originalTokens: number; compressedTokens: number; round: number };
  notice: { message: string };
  context: { tokens: number; usableTokens: number; windowTokens: number };
};

export type ChatMessage = UIMessage<ChatMetadata, ChatData>;
