import { chatHandlers } from '../chat/chat-handlers.ts';
import type { RouteHandlers } from '../http/route-handler.ts';
import { openAiHandlers } from '../openai/openai-handlers.ts';
import { approvalHandlers } from './approval-handlers.ts';
import { contextHandlers } from './context-handlers.ts';
import { directoryHandlers } from './directory-handlers.ts';
import { eventHandlers } from './event-handlers.ts';
import { fileHandlers } from './file-handlers.ts';
import type { HandlerContext } from './handler-context.ts';
import { historyHandlers } from './history-handlers.ts';
import { mcpHandlers } from './mcp-handlers.ts';
import { messageHandlers } from './message-handlers.ts';
import { pageHandlers } from './page-handlers.ts';
import { queueHandlers } from './queue-handlers.ts';
import { replayHandlers } from './replay-handlers.ts';
import { serviceHandlers } from './service-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { transferHandlers } from './transfer-handlers.ts';
import { trustHandlers } from './trust-handlers.ts';
import { usageHandlers } from './usage-handlers.ts';

/** Creates the handlers of all operations. */
export function allHandlers(context: HandlerContext): RouteHandlers {
  return {
    ...sessionHandlers(context),
    ...messageHandlers(context),
    ...queueHandlers(context),
    ...contextHandlers(context),
    ...historyHandlers(context),
    ...fileHandlers(context),
    ...eventHandlers(context),
    ...approvalHandlers(context),
    ...transferHandlers(context),
    ...trustHandlers(context),
    ...mcpHandlers(context),
    ...replayHandlers(context),
    ...directoryHandlers(context),
    ...pageHandlers(context),
    ...usageHandlers(context),
    ...serviceHandlers(context),
    ...chatHandlers(context),
    ...openAiHandlers(context),
  };
}
