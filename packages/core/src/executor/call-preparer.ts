import { cutMiddle } from '@longhaul/context/engine';
import { handleOf, type JsonValue, type Message, parseJson, type ToolPart } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { Tool, ToolContext, ToolResult } from '../ports/tool.ts';
import type { RunClock } from './limits/run-clock.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { RunHooks } from './run-hooks.ts';

export interface CallPreparerOptions {
  offered: Pick<OfferedTools, 'find' | 'describeMissing'>;
  approver: Approver;
  hooks?: RunHooks | undefined;
  clock: RunClock;
}

/** A call and its place in the message. */
export interface PendingCall {
  message: Message;
  index: number;
  part: ToolPart;
}

/** `waits`: nobody has answered yet, so the call stays pending. */
export type PreparedCall = { ok: false; reason: string; waits?: true } | { ok: true; execute: ExecuteCall };

export type ExecuteCall = (context: ToolContext) => Promise<ToolResult>;

/** Finds the tool of a call, reads its arguments, and asks hooks and the approver, in this order. */
export class CallPreparer {
  readonly #options: CallPreparerOptions;

  constructor(options: CallPreparerOptions) {
    this.#options = options;
  }

  async prepare(
    { part, message, index }: PendingCall,
    { signal, isRepeated = false }: { signal: AbortSignal; isRepeated?: boolean },
  ): Promise<PreparedCall> {
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
}

/** What is judged, and shown to the person who decides, is what the tool executes, not what the model wrote. */
function toJson(input: unknown): JsonValue {
  return JSON.parse(JSON.stringify(input ?? null));
}

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
