import { cutMiddle } from '@longhaul/context';
import {
  handleOf,
  type JsonValue,
  type Message,
  parseBlobReference,
  parseJson,
  type ToolOutputContent,
  type ToolPart,
  toLonghaulError,
} from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { BlobStore, Sandbox } from '../ports/index.ts';
import type { SessionHistory, Tool, ToolContext, ToolResult } from '../ports/tool.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { DEFAULT_MAX_TOOL_OUTPUT_CHARS } from '../tool-output/tool-output-truncator.ts';
import { type FittedResult, fitResult } from './fit-result.ts';
import type { KeptOutputs } from './kept-outputs.ts';
import type { RunClock } from './limits/run-clock.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { RunHooks } from './run-hooks.ts';
import { StoredProgress } from './stored-progress.ts';

export interface ToolRunnerOptions {
  offered: Pick<OfferedTools, 'find' | 'describeMissing'>;
  writer: SessionWriter;
  sandbox: Sandbox;
  blobs: BlobStore;
  history: SessionHistory;
  todoList: () => Promise<string | undefined>;
  approver: Approver;
  hooks?: RunHooks | undefined;
  clock: RunClock;
  /** Limits what the session keeps. Default: no limit. */
  keptOutputs?: KeptOutputs;
  /**
   * Maximum characters of a tool's output, for tools without their own maximum. Default
   * `DEFAULT_MAX_TOOL_OUTPUT_CHARS`.
   */
  maxOutputChars?: number;
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

/** A call of a step and its place in the message. */
interface Call {
  message: Message;
  index: number;
  part: ToolPart;
  /** When its tool started, on the monotonic clock. The wall clock can be set while the tool runs. */
  startedMs?: number;
}

/**
 * Runs the calls of a step. Each call is stored before its tool starts, and each result before `run` returns. Tools run
 * in parallel, except those with `runsAlone`. A failure of a tool becomes its result, for the model.
 *
 * After an abort, `run` waits until the running tools have stopped. Calls that have not started are closed as
 * interrupted.
 */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  async run(message: Message, options: RunCallsOptions): Promise<void> {
    let group: Call[] = [];
    for (const [index, part] of message.parts.entries()) {
      if (part.type !== 'tool' || part.state !== 'pending') continue;
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
    if (options.signal.aborted) return this.#interrupt(call);
    const prepared = await this.#prepare(call, options);
    if (!prepared.ok && prepared.waits) return;
    if (options.signal.aborted) return this.#interrupt(call);
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
    await this.#commit(started, result, options);
  }

  async #prepare(
    { part, message, index }: Call,
    { signal, isRepeated = false }: RunCallsOptions,
  ): Promise<{ ok: false; reason: string; waits?: true } | { ok: true; execute: Execute }> {
    const tool = this.#options.offered.find(part.name);
    if (tool === undefined) {
      const reason = this.#options.offered.describeMissing(part.name);
      return { ok: false, reason: reason + sentText(part) };
    }
    if (part.inputText !== undefined && message.finishReason === 'length') {
      return {
        ok: false,
        reason: `Not run: your answer was cut off at its length limit inside the arguments of ${part.name}. Repeat it; if it is cut off again, split it into smaller calls.`,
      };
    }
    if (part.inputText !== undefined) {
      return { ok: false, reason: badArguments(part) };
    }
    const written = tool.parse(part.input);
    if (!written.ok) return { ok: false, reason: `Invalid arguments for ${part.name}: ${written.reason}` };
    const called =
      written.standsFor === undefined ? tool : this.#options.offered.find(written.standsFor.name);
    if (called === undefined) {
      return {
        ok: false,
        reason: this.#options.offered.describeMissing(written.standsFor?.name ?? part.name),
      };
    }
    const hooked = await this.#askHooks(called, { part, ...written, remark: written.remark, isRepeated });
    if ('reason' in hooked) return { ok: false, reason: hooked.reason };
    const parsed = { ...written, ...hooked.changed };
    const approval = await this.#options.approver.approve({
      callId: part.callId,
      handle: handleOf(message.sequence, index),
      toolName: called.name,
      input: toJson(parsed.input),
      actsOutside: called.actsOutside,
      signal,
      stopClock: () => this.#options.clock.stop(),
    });
    if (!approval.allowed) {
      const { waits } = approval;
      return { ok: false, reason: `Not allowed: ${approval.reason}`, ...(waits && { waits }) };
    }
    const execute = (context: ToolContext) => called.execute(parsed.input, context);
    const input = toJson(parsed.input);
    return {
      ok: true,
      execute: async (context) => {
        const result = withRemark(await execute(context), parsed.remark);
        return await this.#addHookText(result, { toolName: called.name, callId: part.callId, input });
      },
    };
  }

  /** Hooks judge the call before its approval, so that what is approved is what runs. */
  async #askHooks(
    tool: Tool,
    {
      part,
      input,
      remark,
      isRepeated,
    }: { part: ToolPart; input: unknown; remark: string | undefined; isRepeated: boolean },
  ): Promise<{ reason: string } | { changed?: { input: unknown; remark: string } }> {
    const { hooks } = this.#options;
    if (hooks?.has('tool.before') !== true) return {};
    const asked = await hooks.run({
      on: 'tool.before',
      toolName: tool.name,
      callId: part.callId,
      input: toJson(input),
      isRepeated,
    });
    const more = asked.text === undefined ? '' : `\n${asked.text}`;
    if (asked.deny !== undefined) return { reason: `Not run: a hook refused it: ${asked.deny}${more}` };
    if (asked.input === undefined && asked.text === undefined) return {};
    const parsed =
      asked.input === undefined ? { ok: true as const, input, remark: undefined } : tool.parse(asked.input);
    if (!parsed.ok)
      return { reason: `Not run: a hook changed the arguments to invalid ones: ${parsed.reason}` };
    const changed =
      asked.input === undefined
        ? ''
        : `[a hook changed the arguments to ${JSON.stringify(toJson(parsed.input))}]`;
    const lines = [parsed.remark ?? remark, changed, asked.text].filter(
      (line) => line !== undefined && line !== '',
    );
    return { changed: { input: parsed.input, remark: lines.join('\n') } };
  }

  async #addHookText(
    result: ToolResult,
    call: { toolName: string; callId: string; input: JsonValue },
  ): Promise<ToolResult> {
    const { hooks } = this.#options;
    if (hooks?.has('tool.after') !== true) return result;
    const output = result.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n');
    const event = { on: 'tool.after', ...call, output, isError: result.isError === true } as const;
    const { text, deny } = await hooks.run(event);
    const added = [deny, text].filter((each) => each !== undefined);
    return added.length === 0 ? result : withRemark(result, `[from a hook]\n${added.join('\n')}`);
  }

  async #execute(
    { part, message, index }: Call,
    { execute, stored, signal }: { execute: Execute; stored: StoredProgress; signal: AbortSignal },
  ): Promise<ToolResult> {
    try {
      return await execute(this.#contextFor(part, handleOf(message.sequence, index), { stored, signal }));
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      return {
        content: [{ type: 'text', text: error.message }],
        isError: true,
        metadata: { code: error.code },
      };
    }
  }

  #contextFor(
    part: ToolPart,
    handle: string,
    { stored, signal }: { stored: StoredProgress; signal: AbortSignal },
  ): ToolContext {
    const { sandbox, blobs, history, todoList, writer } = this.#options;
    return {
      sessionId: writer.lease.sessionId,
      callId: part.callId,
      handle,
      sandbox,
      blobs,
      history,
      todoList,
      signal,
      progress: (update) => {
        writer.emitTransient({ type: 'llm:tool-progress', callId: part.callId, ...update });
        stored.report(update);
      },
    };
  }

  async #commit(
    { message, index, part, startedMs }: Call,
    result: ToolResult,
    { signal, maxResultChars }: { signal: AbortSignal; maxResultChars: number },
  ): Promise<void> {
    const handle = handleOf(message.sequence, index);
    const tool = this.#options.offered.find(part.name);
    const maxChars = Math.min(
      tool?.maxOutputChars ?? this.#options.maxOutputChars ?? DEFAULT_MAX_TOOL_OUTPUT_CHARS,
      maxResultChars,
    );
    const durationMs = startedMs === undefined ? undefined : Math.round(performance.now() - startedMs);
    const fitted = await fitResult(result, { maxChars, handle, blobs: this.#options.blobs });
    const blobId = fitted.fullOutput === undefined ? undefined : parseBlobReference(fitted.fullOutput);
    if (blobId !== undefined) await this.#options.keptOutputs?.add(handle, blobId);
    const isError = result.isError === true;
    const wasAborted = signal.aborted && isError;
    const closed: ToolPart = {
      ...part,
      state: wasAborted ? 'interrupted' : isError ? 'error' : 'completed',
      output: fitted.content,
      endedAt: (part.startedAt ?? Date.now()) + (durationMs ?? 0),
      ...(result.title === undefined ? {} : { title: result.title }),
      ...(isError ? { error: firstText(fitted.content) } : {}),
      ...(result.metadata === undefined ? {} : { metadata: result.metadata }),
      ...(fitted.fullOutput === undefined ? {} : { truncated: true, handle, fullOutput: fitted.fullOutput }),
    };
    await this.#options.writer.putPart(message, index, closed, [
      {
        type: 'llm:tool-result',
        toolName: part.name,
        callId: part.callId,
        success: !isError,
        sanitized: fitted.content,
        rawResult: this.#options.addsRawResults === true ? rawResult(result, fitted) : undefined,
        title: result.title,
        metadata: result.metadata,
        durationMs,
        ...(fitted.fullOutput === undefined ? {} : { truncated: true, handle }),
      },
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

/** What is judged, and shown to the person who decides, is what the tool executes, not what the model wrote. */
function toJson(input: unknown): JsonValue {
  return JSON.parse(JSON.stringify(input ?? null));
}

type Execute = (context: ToolContext) => Promise<ToolResult>;

function withRemark(result: ToolResult, remark: string | undefined): ToolResult {
  if (remark === undefined) return result;
  return { ...result, content: [...result.content, { type: 'text', text: remark }] };
}

const SHOWN_ARGUMENT_CHARS = 300;

/** What an unknown tool was sent as text is not in its input. The model may need it for another call. */
function sentText({ inputText }: ToolPart): string {
  if (inputText === undefined) return '';
  const value = parseJson(inputText);
  const { text } = cutMiddle(typeof value === 'string' ? value : inputText, SHOWN_INPUT_CHARS);
  return `\nYou wrote:\n${text}`;
}

const SHOWN_INPUT_CHARS = 2_000;

function badArguments({ name, error, inputText = '' }: ToolPart): string {
  const reason = (error ?? 'unreadable').replace(/\.+$/, '');
  const { text } = cutMiddle(inputText, SHOWN_ARGUMENT_CHARS);
  return `The arguments of ${name} are not a JSON object: ${reason}. You wrote: ${text}\nCall it again with valid JSON.`;
}

/** The tool's texts as they were returned. Media are those that were stored, so that an event has no bytes of them. */
function rawResult({ content }: ToolResult, fitted: FittedResult): ToolOutputContent[] {
  const media = fitted.content.filter(({ type }) => type !== 'text');
  return [...content.filter(({ type }) => type === 'text'), ...media];
}

function firstText(content: readonly ToolOutputContent[]): string {
  const part = content.find((candidate) => candidate.type === 'text');
  return part?.type === 'text' ? part.text.slice(0, 2_000) : 'failed';
}
