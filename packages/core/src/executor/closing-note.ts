import type { FittedRequest } from '@longhaul/context/engine';
import { type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { RunAccount } from './limits/run-account.ts';
import type { StepOutcome } from './model-call/step-outcome.ts';
import type { ToolRunner } from './tool-runner.ts';

/** Maximum tokens of the closing note. */
const CLOSING_NOTE_TOKENS = 1_500;

/** The result of tool calls that a closing note contains. */
const NO_MORE_TOOLS = 'Not run: the run reached its limit.';

const MAX_GRACE_MS = 120_000;
const MIN_GRACE_MS = 1_000;

export interface ClosingNoteOptions {
  writer: SessionWriter;
  account: RunAccount;
  toolRunner: ToolRunner;
  /** Aborts on a cancel, but not at the time limit. */
  cancelSignal: AbortSignal;
  /** The run's time limit. Null: none. */
  minutes: number | null;
  /** Returns a request that fits the window, or undefined if it compacted instead. */
  fitRequest: (signal: AbortSignal) => Promise<FittedRequest | undefined>;
  /** Calls the model for one step without tools. */
  callWithoutTools: (request: FittedRequest, signal: AbortSignal) => Promise<StepOutcome>;
}

/**
 * Makes one last step without tools, in which the model records the state of its work, so that the work can be resumed.
 * Does not throw: a failure is reported as `context:warning`, and the run ends at its limit in any case.
 *
 * @param error The limit that the run reached.
 */
export async function writeClosingNote(error: LonghaulError, options: ClosingNoteOptions): Promise<void> {
  const { writer, account, toolRunner, cancelSignal, minutes, fitRequest } = options;
  const signal = AbortSignal.any([cancelSignal, AbortSignal.timeout(graceMs(minutes))]);
  try {
    await writer.appendMessage(draftSyntheticMessage(closingNoteRequest(error), 'limit'));
    const request = (await fitRequest(signal)) ?? (await fitRequest(signal));
    if (request === undefined) return;
    const maxOutputTokens = Math.min(request.maxOutputTokens, CLOSING_NOTE_TOKENS);
    const outcome = await options.callWithoutTools({ ...request, maxOutputTokens }, signal);
    const { message, hasToolCalls } = outcome;
    if (outcome.error !== undefined && message === undefined) throw outcome.error;
    account.addClosingNote(outcome);
    if (message !== undefined && hasToolCalls) await toolRunner.skip(message, NO_MORE_TOOLS);
  } catch (thrown) {
    await warnIfPossible(writer, `The closing note could not be written: ${toLonghaulError(thrown).message}`);
  }
}

/** Returns the time limit of the closing note: a tenth of the run's time limit, between 1 and 120 seconds. */
export function graceMs(minutes: number | null): number {
  if (minutes === null) return MAX_GRACE_MS;
  return Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, Math.ceil(minutes * 6_000)));
}

function closingNoteRequest({ message }: LonghaulError): string {
  return `${message}\nThis is your last answer in this run; tools are no longer available. In under 300 words, write a note from which the work can be resumed: what is done, what you found out, what is missing, and what to do next. State clearly what is unfinished or untested.`;
}

async function warnIfPossible(writer: SessionWriter, message: string): Promise<void> {
  try {
    await writer.announce({ type: 'context:warning', message });
  } catch {
    // The store has failed. Storing the end of the run fails for the same reason, and reports it.
  }
}
