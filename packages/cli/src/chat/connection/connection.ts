import type { ApprovalRule } from '@longhaul/approvals';
import type { LonghaulClient } from '@longhaul/client';
import type { ProjectTrust } from '@longhaul/config';
import type { ReasoningEffort } from '@longhaul/models';
import type { UserMessageContentPart } from '@longhaul/protocol';
import type { KnownModel } from '../../compose/known-models.ts';
import type { OpenApproval } from '../session/session-state.ts';

/** The server that a chat talks to, and what it can do only in its own process. */
export interface Connection extends AsyncDisposable {
  client: LonghaulClient;
  /** Undefined: the server is another process, maybe on another machine. */
  local: LocalParts | undefined;
}

/** What decides about calls, and about the project's file. */
export interface LocalAccess {
  rules: LocalRules;
  sandbox: string;
  /** What the project's file wants. Undefined: there is no such file. */
  project: ProjectTrust | undefined;
  /** Stores trust in all that the project's file wants now. */
  allow(): Promise<void>;
  withdraw(): Promise<void>;
}

/** Rules for approvals. A change counts from the next run on. */
export interface LocalRules {
  /** The user's own file, which is changed. */
  readonly file: string;
  current(): readonly ApprovalRule[];
  /** Reads the files again, which another chat or an editor may have changed. */
  reload(): Promise<void>;
  /** Where the current rules were read. Undefined: none are set. */
  origin(): { from: string; path?: string | undefined } | undefined;
  /** What is wrong with the tool of a rule, if Longhaul has no such tool. */
  unknownTool(tool: string): { hint: string } | undefined;
  /** Rules that say what the answer `always` allows. Undefined: none can, or the user's own rules are not in effect. */
  ofAlways(call: OpenApproval, workspace: string): Promise<readonly ApprovalRule[] | undefined>;
  /** @throws {LonghaulError} as `RuleFile`; `usage` if the user's own rules are not in effect. */
  add(rules: readonly ApprovalRule[]): Promise<void>;
  /** Returns whether it was there. Throws as `add`. */
  remove(rule: ApprovalRule): Promise<boolean>;
}

/** API keys that the user stored. */
export interface LocalKeys {
  /** Providers whose key can be stored. */
  providers(): readonly string[];
  /** Providers with a stored key. */
  stored(): Promise<readonly string[]>;
  /** @throws {LonghaulError} `usage` for a provider whose key cannot be stored. */
  require(provider: string): void;
  /** Returns the file, and what is used in place of the stored key, if anything is. */
  put(provider: string, key: string): Promise<{ path: string; other: string | undefined }>;
  /** Returns whether there was a key. */
  remove(provider: string): Promise<boolean>;
}

/** What needs the process of the server. */
export interface LocalParts {
  /** Of new sessions. */
  readonly workspace: string;
  readonly access: LocalAccess;
  readonly keys: LocalKeys;
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
