import type { JsonObject, JsonValue, LonghaulError, Question } from '@longhaul/protocol';

/** A call of a tool that needs a decision before it runs. */
export interface ApprovalRequest {
  callId: string;
  /** Handle of the call, such as `m12.3`. */
  handle: string;
  toolName: string;
  /** The arguments as the tool parsed them: what it would execute. */
  input: JsonValue;
  /** The tool works outside of the sandbox. Default false. */
  actsOutside?: boolean | undefined;
  /** The request is part of a call that runs already. It is refused if the run ends: it never waits for the next one. */
  isOfRunningCall?: boolean;
  /** Ends the wait for an answer. The verdict is ignored in that case. */
  signal: AbortSignal;
  /**
   * Stops the run's clock until the result is disposed. The time in which a person decides does not count against the
   * run.
   */
  stopClock: () => Disposable;
}

/** `waits`: the run is interrupted. The call stays pending and its request stays open, until the session is resumed. */
export type ApprovalVerdict = { allowed: true } | { allowed: false; reason: string; waits?: true };

/** A question of a server in the middle of a call. */
export interface QuestionRequest extends Pick<ApprovalRequest, 'callId' | 'handle' | 'signal' | 'stopClock'> {
  question: Question;
}

/** The answer of a person to a question, or the reason why there is none. */
export type QuestionAnswer =
  | { isAnswered: true; content: JsonObject }
  | { isAnswered: false; reason: string };

/** Decides whether the calls of one run are allowed. */
export interface Approver {
  /** Resolves at once, or when a person has answered. Rejects only if the store does. */
  approve(request: ApprovalRequest): Promise<ApprovalVerdict>;
  /** Asks a person. Default: nobody can answer. Rejects only if the store does. */
  ask?(request: QuestionRequest): Promise<QuestionAnswer>;
  /**
   * Returns an error if the run has failed because its calls need approval and there is nobody to ask. Otherwise
   * undefined.
   *
   * @param options.isAtEnd The model has given its final answer. Before that, it has some tries to find another way.
   */
  failure(options: { isAtEnd: boolean }): LonghaulError | undefined;
}

/** Allows every call. */
export const ALLOW_ALL: Approver = {
  approve: async () => ({ allowed: true }),
  failure: () => undefined,
};
