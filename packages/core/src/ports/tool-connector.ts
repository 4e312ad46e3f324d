import type { Session, UserMessageContentPart } from '@longhaul/protocol';
import type { Tool } from './tool.ts';

/** Connects tools that belong to one session and are not known before it runs, such as those of MCP servers. */
export interface ToolConnector {
  /**
   * Called when a run starts. Its tools change only when `renew` is called. Does not throw if tools cannot be reached: the
   * warnings say so.
   *
   * @throws the reason of the signal.
   */
  connect(run: ToolConnection): Promise<ConnectedTools>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The session for which tools are connected. */
export interface ToolConnection {
  session: Session;
  /** The tools of the session's agent. Names of others must differ from theirs. */
  agentTools: readonly Tool[];
  /** Whether the session's agent may call a tool. */
  allows: (source: string, toolName: string) => boolean;
  signal: AbortSignal;
  /** Tokens of the model's window without the room for its answer. */
  usableTokens: number;
  countTokens: (text: string) => number;
}

/** The tools of a connection, and what the model and people must know of it. */
export interface ConnectedTools {
  tools: readonly Tool[];
  /** Follows the rest of the system text. */
  systemText?: string | undefined;
  warnings: readonly string[];
  /** Reads what a text that a person typed names, such as `@SERVER:uri`. Undefined: it names nothing. */
  readNamed?: (text: string, signal: AbortSignal) => Promise<NamedContent | undefined>;
  /**
   * Called after a compaction, which changes the prefix of requests anyway. Returns the tools if they have changed since they
   * were connected, else undefined.
   */
  renew?: () => Promise<Pick<ConnectedTools, 'tools' | 'systemText' | 'warnings'> | undefined>;
  /** Called when the run has ended. Connections may stay open for the next run. */
  release?: () => void;
}

/** What a message names, and why some of it could not be read. */
export interface NamedContent {
  content: UserMessageContentPart[];
  warnings: string[];
}
