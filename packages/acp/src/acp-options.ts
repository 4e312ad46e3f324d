import type { BlobStore, Runtime, Sandbox, Store } from '@longhaul/core';
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
  /** Returns what an answer `always` to a request allows for the rest of the session, such as `npm test`. */
  allowedByAlways(approval: Pick<Approval, 'toolName' | 'args'>): Promise<string[]>;
}

export interface AcpModels {
  /**
   * Returns the full name of the given model, or of the default model.
   *
   * @throws {LonghaulError} `unknown_model`, `model_not_configured`, `key_missing`, `config_invalid`.
   */
  resolve(name?: string): Promise<string>;
  /** Prepares the model, so that a problem with it is reported before a message is stored. Throws the problem. */
  prepare(name: string): Promise<void>;
  list(): Promise<{ models: readonly { name: string; windowTokens?: number | undefined }[] }>;
}

export interface AcpAgents {
  /** The agents that a session can name, the default one first. */
  list(): readonly { name: string; model?: string }[];
}

/** Places a sandbox's file access behind the editor. Returns the sandbox itself for sessions of no editor. */
export type SandboxWrapper = (sandbox: Sandbox, session: Pick<Session, 'id'>) => Sandbox;

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
  openWorkspace(folder: string, wrapSandbox: SandboxWrapper): Promise<AcpWorkspace>;
  /** The folder whose configuration names the store that is listed if a client names no folder. */
  defaultFolder: string;
  version: string;
  /** Writes a line for the person who reads standard error. */
  log(line: string): void;
  /** Ends the connection as if the client had left. */
  signal?: AbortSignal;
}
