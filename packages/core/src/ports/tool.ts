import type { JsonObject, JsonValue, Question, ToolOutputContent } from '@longhaul/protocol';
import type { QuestionAnswer } from './approver.ts';
import type { BackgroundCommands } from './background.ts';
import type { BlobStore } from './blob-store.ts';
import type { Contacts } from './contacts.ts';
import type { ContextControl } from './context-control.ts';
import type { ToolSchema } from './model-driver.ts';
import type { Sandbox } from './sandbox.ts';
import type { SearchHit } from './store/search-store.ts';
import type { Subtasks } from './subtasks.ts';

/**
 * A tool for the model.
 *
 * `parse` converts the model's arguments to the tool's input type, or returns a reason that the model can act on.
 * `execute` returns the result for the model. A failure that the model can handle (file not found, ambiguous match,
 * exit code 1) is a result with `isError`, not an exception. An exception becomes such a result.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** Other names by which models call the tool. Matched without regard to case. */
  readonly aliases?: readonly string[];
  /** The tool is shown to some models in place of other tools. Models that do not see a tool can call it. */
  readonly standsIn?: StandIn;
  readonly schema: ToolSchema;
  /** What connected the tool, such as the name of an MCP server. Default: it is the agent's own. */
  readonly source?: string;
  /** The tool does not run in parallel with other tools of its step. Default false. */
  readonly runsAlone?: boolean;
  /** The tool changes no files. Files are not recorded after a step that calls only such tools. Default false. */
  readonly isReadOnly?: boolean;
  /** No model sees the tool in its list of tools. It can be called all the same. Default false. */
  readonly isDeferred?: boolean;
  /**
   * Running a call again continues what an earlier process has begun, and begins nothing twice. A call that a dead
   * process has left running is run again. Default false.
   */
  readonly isRepeatable?: boolean;
  /** The tool starts child sessions. Only sessions that may have children see it. Default false. */
  readonly startsSessions?: boolean;
  /** The tool works outside of the sandbox, whatever the sandbox is. Default false. */
  readonly actsOutside?: boolean;
  /** The tool's outputs are never pruned. Default false. */
  readonly isProtected?: boolean;
  /** Maximum characters of text for the model. The rest is available by the handle. Default 120 000. */
  readonly maxOutputChars?: number;
  parse(input: JsonValue): ToolInput<Input>;
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}

/**
 * `remark`: a line for the end of the result, such as the names of parameters that have no effect. `standsFor`: the
 * tool that is called in fact, with this input. Approvals judge a call of it.
 */
export type ToolInput<Input> =
  | { ok: true; input: Input; remark?: string; standsFor?: Tool }
  | { ok: false; reason: string };

/** Which tools a tool replaces, and for which models. */
export interface StandIn {
  /** Names of the tools that these models do not see then. */
  readonly tools: readonly string[];
  /** Whether the model sees this tool. Gets the model's name, with or without its provider. */
  readonly models: (model: string) => boolean;
}

/** The result of a call of a tool. */
export interface ToolResult {
  /** A short line for people, such as `src/app.ts (120 lines)`. */
  title?: string;
  content: ToolOutputContent[];
  isError?: boolean;
  /** A signal that Longhaul did not send ended the work. If the program stops, the call counts as interrupted. */
  wasKilled?: boolean;
  /** Data for programs, such as the exit code. Stored, but not sent to the model. */
  metadata?: JsonObject;
  /**
   * Set by a tool that has truncated its output itself and stored the full text as a blob. The executor then adds the
   * line with the handle to the text.
   */
  fullOutput?: { blobId: string; chars: number };
}

/** What a tool can use while it runs. */
export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  /** Handle by which `recall` finds this call's full output. */
  readonly handle: string;
  readonly sandbox: Sandbox;
  readonly blobs: BlobStore;
  readonly history: SessionHistory;
  /** Returns the result of the session's newest call of `todo`, or undefined if there is none. */
  todoList(): Promise<string | undefined>;
  readonly signal: AbortSignal;
  /** Asks the person, if somebody can answer. The time does not count against the run. Default: nobody can. */
  ask?: (question: Question) => Promise<QuestionAnswer>;
  /**
   * Lets the session's model answer, if approvals allow it. Its tokens and its cost count for the run. The model sees
   * nothing of the session. Does not reject. Default: it cannot be used.
   */
  askModel?: (question: ModelQuestion, signal: AbortSignal) => Promise<ModelReply>;
  /** Absent: tools have no part in decisions about the context. */
  readonly context?: ContextControl | undefined;
  /** Absent: no command can run in the background. */
  readonly background?: BackgroundCommands | undefined;
  /** Absent: the session can have no children. */
  readonly subtasks?: Subtasks | undefined;
  /** Absent: the session may write to no other session. */
  readonly contacts?: Contacts | undefined;
  /** Emits `llm:tool-progress`. The newest title and facts are also stored with the running call. */
  progress(update: { title?: string; metadata?: JsonObject }): void;
}

/** What a server asks the session's model. */
export interface ModelQuestion {
  server: string;
  system?: string | undefined;
  messages: readonly { role: 'user' | 'assistant'; text: string }[];
  /** Tokens of the answer. The model may get fewer. */
  maxTokens: number;
}

/** The answer of another model, or the reason why there is none. */
export type ModelReply =
  | { isAnswered: true; text: string; model: string; isCut: boolean }
  | { isAnswered: false; reason: string };

/** Gives `recall` access to the session's messages, including hidden ones. */
export interface SessionHistory {
  search(terms: string, limit: number): Promise<SearchHit[]>;
  /** Returns the full text of a handle, or undefined if there is no such message or part. */
  fullText(handle: string): Promise<string | undefined>;
  /** Returns the history of the child session that the call with this handle has started. Absent: there is none. */
  child?(handle: string): Promise<SessionHistory | undefined>;
}
