import {
  handleOf,
  isOpen,
  type Message,
  parseBlobReference,
  type ToolPart,
  toLonghaulError,
} from '@longhaul/protocol';
import type { ToolResult } from '../ports/tool.ts';
import { DEFAULT_MAX_TOOL_OUTPUT_CHARS } from '../tool-output/tool-output-truncator.ts';
import {
  CallPreparer,
  type CallPreparerOptions,
  type ExecuteCall,
  type PendingCall,
} from './call-preparer.ts';
import { closePart, resultEvent } from './closed-call.ts';
import { isEndedByStop, withStopRemark } from './ended-by-stop.ts';
import { fitResult } from './fit-result.ts';
import type { KeptOutputs } from './kept-outputs.ts';
import { StoredProgress } from './stored-progress.ts';
import { createToolContext, type ToolContextOptions } from './tool-context.ts';

export interface ToolRunnerOptions extends CallPreparerOptions, ToolContextOptions {
  /** Limits what the session keeps. Default: no limit. */
  keptOutputs?: KeptOutputs;
  /**
   * Maximum characters of a tool's output, for tools without their own maximum. Default
   * `DEFAULT_MAX_TOOL_OUTPUT_CHARS`.
   */
  maxOutputChars?: number;
  /** Aborts when the program stops. */
  drain?: AbortSignal | undefined;
  /** Whether events also have results as the tools returned them. Default false. */
  addsRawResults?: boolean;
}

export interface RunCallsOptions {
  signal: AbortSignal;
  /** Maximum characters of each result in the context. */
  maxResultChars: number;
  /** The process stopped before the calls started. Default false. */
  isRepeated?: boolean;
}

interface Call extends PendingCall {
  /** When its tool started, on the monotonic clock. The wall clock can be set while the tool runs. */
  startedMs?: number;
}

/**
 * Runs the calls of a step. Each call is stored before its tool starts, and each result before `run` returns. Tools run
 * in parallel, except those with `runsAlone`. A failure of a tool becomes its result, for the model. A call that an
 * earlier process has left running is run again: the repair leaves only those that can be repeated.
 *
 * After an abort, `run` waits until the running tools have stopped. Calls that have not started are closed as
 * interrupted.
 */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #preparer: CallPreparer;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
    this.#preparer = new CallPreparer(options);
  }

  async run(message: Message, options: RunCallsOptions): Promise<void> {
    let group: Call[] = [];
    for (const [index, part] of message.parts.entries()) {
      if (part.type !== 'tool' || !isOpen(part)) continue;
      const call = { message, index, part };
      if (this.#options.offered.find(part.name)?.runsAlone === true) {
        await this.#runGroup(group, options);
        group = [];
        await this.#runGroup([call], options);
      } else {
        group.push(call);
      }
    }
    await this.#runGroup(group, options);
  }

  /** Closes the pending calls of a message without running them. The reason is their result, for the model. */
  async skip(message: Message, reason: string): Promise<void> {
    for (const [index, part] of message.parts.entries()) {
      if (part.type !== 'tool' || part.state !== 'pending') continue;
      await this.#closeUnrun({ message, index, part }, { text: reason, state: 'error' });
    }
  }

  async #runGroup(calls: readonly Call[], options: RunCallsOptions): Promise<void> {
    const outcomes = await Promise.allSettled(calls.map((call) => this.#runCall(call, options)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #runCall(call: Call, options: RunCallsOptions): Promise<void> {
    // What an earlier process has begun is ended by its tool.
    const isBegun = call.part.state === 'running';
    if (options.signal.aborted && !isBegun) return this.#interrupt(call);
    const prepared = await this.#preparer.prepare(call, options);
    if (!prepared.ok && prepared.waits) return;
    if (options.signal.aborted && !isBegun) return this.#interrupt(call);
    if (!prepared.ok)
      return this.#commit(
        call,
        { content: [{ type: 'text', text: prepared.reason }], isError: true },
        options,
      );
    const startedMs = performance.now();
    const part: ToolPart = { ...call.part, state: 'running', startedAt: Date.now() };
    const started: Call = { ...call, part, startedMs };
    await this.#options.writer.putPart(call.message, call.index, started.part);
    const stored = new StoredProgress({
      write: (progress) => this.#options.writer.putPart(call.message, call.index, { ...part, ...progress }),
    });
    const result = await this.#execute(started, { ...prepared, stored, signal: options.signal });
    await stored.stop();
    if (result !== undefined) await this.#commit(started, result, options);
  }

  /** Returns undefined if the call stays open, because the program stops and the next run repeats the call. */
  async #execute(
    { part, message, index }: Call,
    { execute, stored, signal }: { execute: ExecuteCall; stored: StoredProgress; signal: AbortSignal },
  ): Promise<ToolResult | undefined> {
    try {
      const handle = handleOf(message.sequence, index);
      const call = { part, handle, messageId: message.id, partIndex: index, stored, signal };
      return await execute(createToolContext(this.#options, call));
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      const isRepeatable = this.#options.offered.find(part.name)?.isRepeatable === true;
      if (isRepeatable && error.code === 'interrupted') return undefined;
      return {
        content: [{ type: 'text', text: error.message }],
        isError: true,
        metadata: { code: error.code },
      };
    }
  }

  async #commit(
    { message, index, part, startedMs }: Call,
    returned: ToolResult,
    { signal, maxResultChars }: { signal: AbortSignal; maxResultChars: number },
  ): Promise<void> {
    const handle = handleOf(message.sequence, index);
    const tool = this.#options.offered.find(part.name);
    const isStopped = await isEndedByStop(returned, this.#options.drain);
    const result = isStopped ? withStopRemark(returned) : returned;
    const maxChars = Math.min(
      tool?.maxOutputChars ?? this.#options.maxOutputChars ?? DEFAULT_MAX_TOOL_OUTPUT_CHARS,
      maxResultChars,
    );
    const durationMs = startedMs === undefined ? undefined : Math.round(performance.now() - startedMs);
    const fitted = await fitResult(result, { maxChars, handle, blobs: this.#options.blobs });
    const blobId = fitted.fullOutput === undefined ? undefined : parseBlobReference(fitted.fullOutput);
    if (blobId !== undefined) await this.#options.keptOutputs?.add(handle, blobId);
    const isInterrupted = isStopped || signal.aborted;
    const closed = closePart(part, { result, fitted, handle, durationMs, isInterrupted });
    await this.#options.writer.putPart(message, index, closed, [
      resultEvent(closed, { result, fitted, durationMs, addsRaw: this.#options.addsRawResults === true }),
    ]);
  }

  #interrupt(call: Call): Promise<void> {
    const text = 'Not run: the run was cancelled before this call started.';
    return this.#closeUnrun(call, { text, state: 'interrupted' });
  }

  async #closeUnrun(
    { message, index, part }: Call,
    { text, state }: { text: string; state: 'error' | 'interrupted' },
  ): Promise<void> {
    const closed: ToolPart = {
      ...part,
      state,
      error: text,
      output: [{ type: 'text', text }],
      endedAt: Date.now(),
    };
    await this.#options.writer.putPart(message, index, closed, [
      {
        type: 'llm:tool-result',
        toolName: part.name,
        callId: part.callId,
        success: false,
        sanitized: closed.output ?? [],
      },
    ]);
  }
}
