import type { LonghaulClient } from '@longhaul/client';
import type { ReasoningEffort } from '@longhaul/models';
import type { UserMessageContentPart } from '@longhaul/protocol';
import type { KnownModel } from '../../compose/known-models.ts';

/** The server that a chat talks to, and what it can do only in its own process. */
export interface Connection extends AsyncDisposable {
  client: LonghaulClient;
  /** Undefined: the server is another process, maybe on another machine. */
  local: LocalParts | undefined;
}

/** What needs the process of the server. */
export interface LocalParts {
  /** Of new sessions. */
  readonly workspace: string;
  /** The model of new sessions. Undefined: none is configured. */
  readonly model: string | undefined;
  /** Why there is no model. */
  readonly modelProblem: string | undefined;
  /** There is no model because none was named, and none was found. */
  readonly lacksModel: boolean;
  /** Uses a model with other settings from the next run on. Undefined keeps what is set. Returns its full name. */
  choose(change: { model?: string; effort?: ReasoningEffort; window?: number }): Promise<string>;
  /** Models of the servers on this machine and of the catalogue. */
  models(): Promise<readonly KnownModel[]>;
  /** The session keeps the address that was given with the model, for its next runs. */
  keepAddress(sessionId: string): Promise<void>;
  /** Runs a command in the sandbox of the session's folder. */
  runCommand(command: string, options: { workspace: string; signal: AbortSignal }): Promise<CommandOutput>;
  /** The files that a text mentions with `@`. */
  attachments(text: string, workspace: string): Promise<UserMessageContentPart[]>;
}

export interface CommandOutput {
  text: string;
  exitCode: number | null;
}
