import type { FinishReason, LonghaulError, Message, TokenUsage } from '@longhaul/protocol';
import type { StepEvent } from '../../ports/index.ts';
import type { SessionWriter } from '../../session/session-writer.ts';

/** The result of a model call. */
export interface StepOutcome {
  /** Absent if the call failed before any content arrived. */
  message?: Message;
  finishReason: FinishReason;
  /** The finish reason as the server sent it. */
  rawFinishReason?: string | undefined;
  /** The provider's words on why the answer ended. */
  explanation?: string | undefined;
  /** The text ends in a tool call that cannot be read, or perhaps only writes about one. */
  unreadCall?: 'broken' | 'uncertain' | undefined;
  /** The provider continues the turn if the request is repeated with this answer at its end. */
  continuesAsSent?: boolean | undefined;
  usage?: TokenUsage;
  cost?: number;
  text: string;
  /** The message has tool calls to run. Always false after an error: calls of an incomplete answer are not run. */
  hasToolCalls: boolean;
  /** Set on any failure, regardless of the finish reason. */
  error?: LonghaulError;
}

export interface Answer {
  message: Message;
  /** `provider/model`. */
  model: string;
  router?: string | undefined;
  text: string;
  finish: Extract<StepEvent, { type: 'finish' }> | undefined;
  costOf: (usage: TokenUsage) => number | undefined;
}

type AnswerFacts = Pick<
  StepOutcome,
  'finishReason' | 'rawFinishReason' | 'explanation' | 'unreadCall' | 'continuesAsSent' | 'usage' | 'cost'
>;

/** Closes the message of a complete answer and emits `llm:response`. */
export async function closeAnswer(
  writer: SessionWriter,
  { message, model, router, text, finish, costOf }: Answer,
): Promise<AnswerFacts> {
  const finishReason = finish?.finishReason ?? 'other';
  const usage = finish?.usage;
  const cost = usage === undefined ? undefined : costOf(usage);
  const figures = { usage, cost };
  const [provider = '', ...name] = model.split('/');
  const reasoning = reasoningOf(message);
  await writer.closeMessage(message, { status: 'done', finishReason, ...figures }, [
    {
      type: 'llm:response',
      messageId: message.id,
      content: text,
      reasoning: reasoning === '' ? undefined : reasoning,
      provider,
      model: name.join('/'),
      router,
      tokenUsage: usage,
      cost,
      finishReason,
    },
  ]);
  const { rawFinishReason, explanation, unreadCall, continuesAsSent } = finish ?? {};
  return { finishReason, rawFinishReason, explanation, unreadCall, continuesAsSent, ...figures };
}

/** The reasoning of a message, joined. */
export function reasoningOf({ parts }: Message): string {
  return parts
    .filter((part) => part.type === 'reasoning')
    .map((part) => part.text)
    .join('');
}
