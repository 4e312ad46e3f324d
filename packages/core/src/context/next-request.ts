import type { ViewMessage } from '@longhaul/context/engine';
import type { ToolSchema } from '../ports/index.ts';

/**
 * The next request of a session, if it were sent now. A run first adds queued messages and a note about a changed
 * environment, and compacts if that is due.
 */
export interface NextRequest {
  system: string;
  tools: readonly ToolSchema[];
  messages: readonly RequestMessage[];
}

/** A message of the next request. */
export interface RequestMessage {
  message: ViewMessage;
  /** Handle of the message of the log that this one shows. Absent for summaries. */
  handle?: string;
}
