import type { BlobStore, Runtime, Store, Tool } from '@longhaul/core';
import type { Approval, Session } from '@longhaul/protocol';

/** The agent of one workspace: its configuration, its models and its sessions. The caller of `serveAcp` composes it. */
export interface AcpWorkspace extends AsyncDisposable {
  /** Real path of the folder. */
  readonly folder: string;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly models: AcpModels;
  readonly agents: AcpAgents;
  /** Returns the commands that a prompt can be. Files of commands are read again each time. */
  commands(): Promise<readonly AcpCommand[]>;
  /** Returns what else a prompt can begin with, such as prompts of MCP servers. It is sent as it is typed. */
  offeredCommands(sessionId: string): Promise<readonly Omit<AcpCommand, 'run'>[]>;
  /** Returns what an answer `always` to a request allows for the rest of the session, such as `npm test`. */
  allowedByAlways(approval: Pick<Approval, 'toolName' | 'args'>): Promise<string[]>;
}

/** A command that is typed as `/name words` in place of a prompt. */
export interface AcpCommand {
  name: string;
  description: string;
  /** What follows the name. Default: nothing. */
  hint?: string;
  /** It works on a session with messages. Default: false. */
  needsSession?: boolean;
  /** It is not offered, and only says why it cannot be used. Default: false. */
  isUnusable?: boolean;
  /**
   * Returns a text for the person, or a prompt for the agent.
   *
   * @throws {LonghaulError} What is wrong with the words, or with the work.
   */
  run(words: string, context: CommandContext): Promise<{ text: string } | { prompt: string }>;
}

export interface CommandContext {
  sessionId: string;
  title: string;
  /** Aborts if the person cancels the prompt. */
  signal: AbortSignal;
}

export interface AcpModels {
  /**
   * Returns the full name of the given model, or of the default model.
   *
   * @throws {LonghaulError} `unknown_model`, `model_not_configured`, `key_missing`, `config_invalid`.
   */
  resolve(name?: string): Promise<string>;
  /** Prepares the model, so that a problem with it is reported before a message is stored. Throws the problem. */
  prepare(name: string, signal?: AbortSignal): Promise<void>;
  /** Returns the models that a person can select. */
  list(): Promise<readonly { name: string }[]>;
}

export interface AcpAgents {
  /** The agents that a session can name, the default one first. */
  list(): readonly { name: string; model?: string }[];
}

/** Returns the tools of a session's agent, of which some work with the editor. Other sessions keep their tools. */
export type ToolsWrapper = (tools: readonly Tool[], session: Pick<Session, 'id'>) => readonly Tool[];

export interface AcpOptions {
  /** Bytes from the client. */
  input: ReadableStream<Uint8Array>;
  /** Bytes to the client: messages of the protocol and nothing else. */
  output: WritableStream<Uint8Array>;
  /**
   * Opens the agent of a folder, or returns the open one. `serveAcp` disposes it.
   *
   * @throws {LonghaulError} `usage` if the folder does not exist; errors of the configuration and the store.
   */
  openWorkspace(folder: string, wrapTools: ToolsWrapper): Promise<AcpWorkspace>;
  /** The folder whose configuration names the store that is listed if a client names no folder. */
  defaultFolder: string;
  version: string;
  /** Writes a line for the person who reads standard error. */
  log(line: string): void;
  /** Ends the connection as if the client had left. */
  signal?: AbortSignal;
}
