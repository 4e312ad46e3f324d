import { randomUUID } from 'node:crypto';
import type { StepEvent, ToolSchema } from '@longhaul/core';
import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { AnswerText } from './answer-text.ts';
import { repairInput, repairText } from './call-input.ts';
import { loadLooseJson } from './loose-json.ts';
import type { WrittenCall } from './text-calls/text-call-form.ts';
import {
  type CallText,
  judgeCallText,
  judgeWholeText,
  type TextCallVerdict,
} from './text-calls/text-call-verdict.ts';
import { meantTool, type ToolNamed } from './tool-names.ts';

export interface ReadAnswerOptions {
  tools: readonly ToolSchema[];
  /** Whether a tool accepts the arguments. Absent: calls are passed on unchanged, and not looked for in the text. */
  acceptsInput?: ((name: string, input: JsonValue) => boolean) | undefined;
  /** Other names of tools. Default: none. */
  toolNamed?: ToolNamed | undefined;
  /** Whether tool calls in the text are made. */
  callsInText: boolean;
}

type FinishEvent = Extract<StepEvent, { type: 'finish' }>;
type CallEvent = Extract<StepEvent, { type: 'tool-call' | 'tool-call-invalid' }>;

/**
 * Reads an answer as its model means it: thoughts between tags are reasoning, arguments are repaired, and calls that
 * the model wrote as text are calls.
 */
export async function* readAnswer(
  stream: AsyncIterable<StepEvent>,
  options: ReadAnswerOptions,
): AsyncGenerator<StepEvent, void> {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const { acceptsInput, toolNamed } = options;
  const looksForCalls = options.callsInText && acceptsInput !== undefined && tools.size > 0;
  const isTool = (name: string) => meantTool(name, tools, toolNamed) !== undefined;
  const text = new AnswerText(looksForCalls ? isTool : undefined);
  let hasCalls = false;
  for await (const event of stream) {
    switch (event.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        yield* text.of(event);
        break;
      case 'tool-call':
      case 'tool-call-invalid':
        hasCalls = true;
        yield* text.release();
        yield* acceptsInput === undefined
          ? [event]
          : await meantCalls(event, { tools, acceptsInput, toolNamed });
        break;
      case 'finish': {
        const { events, said } = text.takeCall();
        yield* events;
        const canBeCall =
          said !== undefined && acceptsInput !== undefined && !hasCalls && canEndInCall(event);
        const verdict: TextCallVerdict = canBeCall
          ? await judge(said, { tools, acceptsInput, toolNamed })
          : { kind: 'text' };
        yield* text.say((verdict.kind === 'calls' ? verdict.after : said?.text) ?? '');
        yield* text.release();
        yield* verdict.kind === 'calls' ? toEvents(verdict.calls) : [];
        yield { ...event, ...finishOf(verdict) };
        break;
      }
      case 'error':
        yield* text.rest();
        yield event;
        break;
      default:
        yield event;
    }
  }
}

function canEndInCall({ finishReason }: FinishEvent): boolean {
  return finishReason === 'stop' || finishReason === 'tool-calls' || finishReason === 'other';
}

/** A call that cannot be read is treated as one that the model announced but did not make. */
function finishOf(verdict: TextCallVerdict): Partial<FinishEvent> {
  if (verdict.kind === 'text') return {};
  if (verdict.kind === 'calls') return { finishReason: 'tool-calls' };
  return { ...(verdict.kind === 'broken' ? { finishReason: 'tool-calls' } : {}), unreadCall: verdict.kind };
}

async function judge(
  said: CallText,
  { tools, acceptsInput, toolNamed }: CallTools,
): Promise<TextCallVerdict> {
  if (said.text === '') return judgeWholeText(said.before);
  return judgeCallText(said, {
    parse: await loadLooseJson(),
    schemaOf: (name) => tools.get(meantTool(name, tools, toolNamed) ?? ''),
    accepted({ name: written, input }) {
      const name = meantTool(written, tools, toolNamed);
      if (name === undefined) return undefined;
      const repaired = repairInput(input, (candidate) => acceptsInput(name, candidate));
      return repaired === undefined ? undefined : { name, input: repaired };
    },
  });
}

function toEvents(calls: readonly WrittenCall[]): CallEvent[] {
  return calls.map(({ name, input }) => ({
    type: 'tool-call',
    callId: `call_${randomUUID()}`,
    name,
    input,
  }));
}

interface CallTools {
  tools: ReadonlyMap<string, ToolSchema>;
  toolNamed: ToolNamed | undefined;
  acceptsInput: (name: string, input: JsonValue) => boolean;
}

/** Returns the calls that the model means, or the event unchanged. */
async function meantCalls(event: CallEvent, known: CallTools): Promise<CallEvent[]> {
  const { tools, acceptsInput, toolNamed } = known;
  const name = meantTool(event.name, tools, toolNamed);
  if (name === undefined) return wrappedCalls(event, known) ?? [event];
  const accepts = (input: JsonObject) => acceptsInput(name, input);
  if (event.type === 'tool-call') {
    const { input } = event;
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return [{ ...event, name }];
    return [{ ...event, name, input: repairInput(input, accepts) ?? input }];
  }
  const input = repairText(event.inputText, await loadLooseJson(), accepts);
  return [
    input === undefined ? { ...event, name } : { type: 'tool-call', callId: event.callId, name, input },
  ];
}

/**
 * Returns the calls in a wrapper that OpenAI's models invent:
 * `parallel({tool_uses: [{recipient_name, parameters}]})`. Undefined unless all of them are calls of tools.
 */
function wrappedCalls(
  event: CallEvent,
  { tools, acceptsInput, toolNamed }: CallTools,
): CallEvent[] | undefined {
  if (event.type !== 'tool-call' || typeof event.input !== 'object' || event.input === null) return undefined;
  const uses = Array.isArray(event.input) ? undefined : event.input['tool_uses'];
  if (!Array.isArray(uses) || uses.length === 0) return undefined;
  const calls: CallEvent[] = [];
  for (const [index, use] of uses.entries()) {
    if (typeof use !== 'object' || use === null || Array.isArray(use)) return undefined;
    const name = meantTool(String(use['recipient_name']), tools, toolNamed);
    const input = use['parameters'] ?? {};
    if (name === undefined || !acceptsInput(name, input)) return undefined;
    const callId = index === 0 ? event.callId : `${event.callId}-${index + 1}`;
    calls.push({ type: 'tool-call', callId, name, input });
  }
  return calls;
}
