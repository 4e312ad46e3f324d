import { cutMiddle } from '@longhaul/context/engine';
import { type ChatMessage, isBlank } from '@longhaul/protocol';
import type { SizedRequest } from './request-size.ts';
import type { AnswerSoFar } from './types.ts';

const CONTINUE =
  'Your answer above was cut off. Continue it exactly where it stops, even in the middle of a sentence. Do not repeat any of it, do not start over, and do not mention the interruption.';

const ANSWER_NOW =
  'You were interrupted while thinking about this. Your thoughts so far are below. Continue from there, briefly, and give the answer.';

/** Share of the window for the answer so far. */
const SO_FAR_SHARE = 0.25;

/**
 * Returns the messages to append to a conversation so that the model continues its answer. They take at most a quarter
 * of the window.
 */
export function continuationWithin(
  { meter, ratio, windowTokens }: SizedRequest,
  soFar: AnswerSoFar,
): ChatMessage[] {
  const chars = Math.max(soFar.text.length, soFar.reasoning?.length ?? 0);
  const whole = continuation(soFar, chars);
  const tokens = ratio * meter.messages(whole);
  const most = windowTokens * SO_FAR_SHARE;
  return tokens <= most ? whole : continuation(soFar, Math.floor((chars * most) / tokens));
}

/**
 * Returns the answer so far as an assistant message, and a request to continue as a user message. All chat templates
 * accept that, also strict ones. Not all accept a prompt that ends with an assistant message.
 *
 * @param maxChars A longer answer so far loses its middle.
 */
function continuation({ text, reasoning = '' }: AnswerSoFar, maxChars: number): ChatMessage[] {
  const said = shortened(text, maxChars);
  if (!isBlank(said)) {
    return [
      { role: 'assistant', content: said },
      { role: 'user', content: CONTINUE },
    ];
  }
  const thought = shortened(reasoning, maxChars).trim();
  if (isBlank(thought)) return [];
  return [
    { role: 'assistant', content: 'I am still thinking.' },
    { role: 'user', content: `${ANSWER_NOW}\n\n${thought}` },
  ];
}

function shortened(text: string, maxChars: number): string {
  return cutMiddle(text, maxChars).text;
}
