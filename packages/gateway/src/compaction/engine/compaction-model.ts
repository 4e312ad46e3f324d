import { type Select, type Summarise, type SummaryReply, selectionPrompt } from '@longhaul/context/engine';
import { withoutThoughts } from '@longhaul/models';
import { type ChatMessage, type ChatTool, LonghaulError } from '@longhaul/protocol';
import type { AskCompactionModel } from '../types.ts';
import { SELECTION_SCHEMA } from './selection-schema.ts';

export interface CompactionModelOptions {
  askModel: AskCompactionModel;
  model: string;
  /** Window of the compacting model. */
  windowTokens: number;
  tools?: readonly ChatTool[] | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  countTokens: (messages: readonly ChatMessage[]) => number;
  /** Returns the first `count` messages of the view, as they are sent. */
  shown: (count: number) => ChatMessage[];
}

/**
 * Returns the engine's two queries to a model: `summarise` and `select`. A failure is a value.
 *
 * @throws {LonghaulError} `cancelled` if the client goes away.
 */
export function compactionModel(options: CompactionModelOptions): { summarise: Summarise; select: Select } {
  return {
    summarise: ({ mode, messages, maxOutputTokens }) => {
      const question = userMessage(textOf(messages.at(-1)?.content ?? []));
      const isPrefix = mode === 'prefix';
      const before = isPrefix ? options.shown(messages.length - 1) : [];
      return ask(options, {
        messages: [...before, question],
        maxTokens: maxOutputTokens,
        withTools: isPrefix,
      });
    },
    select: (request) => {
      const messages = [userMessage(`${selectionPrompt(request)}\n${chatRules(request.maxOutputTokens)}`)];
      // JSON takes more tokens than its texts, and a model that thinks before it answers needs room for its thoughts.
      const maxTokens = Math.max(request.maxOutputTokens * 2, Math.floor(options.windowTokens * 0.2));
      return ask(options, { messages, maxTokens, withTools: false, schema: SELECTION_SCHEMA });
    },
  };
}

/**
 * Extra rules: a gateway's conversations can have any topic and language. The engine shortens a summary that is too long.
 */
function chatRules(maxTokens: number): string {
  const words = Math.max(60, Math.floor(maxTokens * WORDS_PER_TOKEN));
  return `The conversation can have any topic: keep the names, numbers, facts, wishes and decisions that would be missed, and write in its language. "summary" and "condense" together: at most ${words} words.`;
}

/** Models write more words than requested, and a compaction has room for half more. */
const WORDS_PER_TOKEN = 0.7;

/** With less room a model cannot write anything useful. */
const MIN_ANSWER_TOKENS = 150;

interface Ask {
  messages: ChatMessage[];
  maxTokens: number;
  withTools: boolean;
  schema?: object;
}

async function ask(
  options: CompactionModelOptions,
  { messages, maxTokens, withTools, schema }: Ask,
): Promise<SummaryReply> {
  const { askModel, model, tools, windowTokens, signal, timeoutMs } = options;
  if (signal.aborted) throw cancelled(signal);
  const promptTokens = options.countTokens(messages);
  const room = Math.floor(windowTokens * 0.98) - promptTokens;
  if (room < Math.min(maxTokens, MIN_ANSWER_TOKENS))
    return failed(`the text to compact does not fit into the window of "${model}" (${windowTokens} tokens)`);
  const timeout = AbortSignal.timeout(timeoutMs);
  const stopped = AbortSignal.any([signal, timeout]);
  try {
    const reply = askModel({
      model,
      messages,
      tools: withTools ? tools : undefined,
      maxTokens: Math.min(maxTokens, room),
      promptTokens,
      ...(schema === undefined ? {} : { schema }),
      signal: stopped,
    });
    const answer = await Promise.race([reply, rejection(stopped)]);
    // Thoughts alone become an empty answer.
    return answer.status === 'failed' ? answer : { ...answer, text: withoutThoughts(answer.text) };
  } catch (thrown) {
    if (signal.aborted) throw cancelled(signal);
    if (timeout.aborted) return failed(`"${model}" did not answer within ${timeoutMs} ms`);
    return failed(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Rejects on abort. `askModel` itself may react late or never. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function failed(reason: string): SummaryReply {
  return { status: 'failed', reason };
}

function cancelled(signal: AbortSignal): LonghaulError {
  return new LonghaulError('cancelled', 'The compaction was stopped.', { cause: signal.reason });
}

function userMessage(content: string): ChatMessage {
  return { role: 'user', content };
}

function textOf(content: readonly { type: string }[]): string {
  return content.map((part) => ('text' in part ? String(part.text) : '')).join('\n');
}
