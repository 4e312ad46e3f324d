import type { JsonValue, MessageOrigin, Session } from '@longhaul/protocol';
import type { Sandbox } from './sandbox.ts';

/** What happens in a run. */
export type HookEvent =
  /** The first run of a session begins. Returned text is for the model. */
  | { on: 'session.start' }
  /**
   * Messages wait: of the user, or of other sessions, whose `origins` are given then. `deny` keeps them from the model,
   * and ends the run unless other messages wait; text is for the model.
   */
  | { on: 'prompt.submit'; prompt: string; origins?: MessageOrigin[] }
  /**
   * A tool is about to run. `deny` refuses the call; `input` replaces its arguments. `isRepeated`: the process stopped
   * before the call started, so hooks may have run for it before.
   */
  | { on: 'tool.before'; toolName: string; callId: string; input: JsonValue; isRepeated: boolean }
  /** A tool has run. Returned text is added to its result. */
  | {
      on: 'tool.after';
      toolName: string;
      callId: string;
      input: JsonValue;
      output: string;
      isError: boolean;
    }
  /** Returned text is in the view after the compaction, word for word. */
  | { on: 'compaction.before'; reason: string }
  | { on: 'compaction.after'; reason: string }
  /**
   * A final answer was given. `deny` continues the run with the reason. `isContinued`: a hook has continued it before.
   */
  | { on: 'run.end'; answer: string; isContinued: boolean };

/** The name of an event at which hooks are called. */
export type HookName = HookEvent['on'];

/** What a hook decides and adds. All of it is optional. */
export interface HookResult {
  /** Refuses what is about to happen, with the reason. */
  deny?: string | undefined;
  /** Replaces the input of a tool. */
  input?: JsonValue | undefined;
  /** For the model. */
  text?: string | undefined;
  /** For people. */
  notice?: string | undefined;
}

/** What a hook knows of the session for which it is called. */
export interface HookContext {
  session: Session;
  sandbox: Sandbox;
  signal: AbortSignal;
}

/** User code that runs at one kind of event. If it throws, a warning is emitted, and the run continues. */
export interface Hook {
  readonly on: HookName;
  /** For people. */
  readonly name: string;
  /** Whether it runs for a tool. Default: for every tool. */
  readonly matches?: (toolName: string) => boolean;
  run(event: HookEvent, context: HookContext): Promise<HookResult | undefined>;
}
