import type { FinishReason, LonghaulError, Message, TokenUsage } from '@longhaul/protocol';
import type { StepEvent } from '../../ports/index.ts';
import type { SessionWriter } from '../../session/session-writer.ts';

/** What a model call came to. */
export interface StepOutcome {
  /** Absent when the call failed before it brought anything. */
  message?: Message;
  finishReason: FinishReason;
  usage?: TokenUsage;
  cost?: number;
  text: string;
  /** Calls waiting to be run. Empty after an error: nothing of a broken answer is run. */
  hasToolCalls: boolean;
  /** Set on any failure, whatever the finish reason said. */
  error?: LonghaulError;
}

export interface Answer {
  message: Message;
  /** `provider/model`. */
  model: string;
  text: string;
  finish: Extract<StepEvent, { type: 'finish' }> | undefined;
  costOf: (usage: TokenUsage) => number | undefined;
}

/** Closes the message of an answer that came whole, and tells it. */
export async function closeAnswer(
  writer: SessionWriter,
  { message, model, text, finish, costOf }: Answer,
): Promise<Pick<StepOutcome, 'finishReason' | 'usage' | 'cost'>> {
  const finishReason = finish?.finishReason ?? 'other';
  const usage = finish?.usage;
  const cost = usage === undefined ? undefined : costOf(usage);
  const figures = {
    usage,
    cost,
  };
  const [provider = '', ...name] = model.split('/');
  const reasoning = reasoningOf(message);
  await writer.closeMessage(message, { status: 'done', finishReason, ...figures }, [
    {
      type: 'llm:response',
      content: text,
      ...(reasoning === '' ? {} : { reasoning }),
      provider,
      model: name.join('/'),
      ...(usage === undefined ? {} : { tokenUsage: usage }),
      ...(cost === undefined ? {} : { cost }),
      finishReason,
    },
  ]);
  return { finishReason, ...figures };
}

/** All that the model thought for an answer. */
export function reasoningOf({ parts }: Message): string {
  return parts
    .filter((part) => part.type === 'reasoning')
    .map((part) => part.text)
    .join('');
}
