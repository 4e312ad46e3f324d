import type { ContextNotice } from '../compaction/types.ts';
import type { Route } from '../upstream/router.ts';
import type { ChatRequest } from './read-chat.ts';

/** The parts of a request that its preparation uses. */
export type TurnRequest = Pick<
  ChatRequest,
  'plain' | 'messages' | 'tools' | 'maxTokens' | 'chatId' | 'isMultiple'
> & { windowTokens?: number | undefined };

export interface TurnContextOptions {
  chat: TurnRequest;
  route: Route;
  /** A hash of the client's key. */
  client: string;
  signal: AbortSignal;
  onNotice: (notice: ContextNotice) => void;
  /** Called after each preparation, before the request is sent. */
  onPrepared: () => void;
}
