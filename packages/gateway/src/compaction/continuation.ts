import { cutMiddle } from '@longhaul/context';
import type { ChatMessage } from '@longhaul/protocol';
import type { SizedRequest } from './request-size.ts';
import type { AnswerSoFar } from './types.ts';

const GO_ON =
  'Your answer above was interrupted before its end. Go on with it exactly where it stops, in the middle of a sentence if need be. Repeat nothing of it, do not begin anew, and do not mention the interruption.';

const ANSWER_NOW =
  'You were interrupted while you thought about this. Your thoughts so far stand below. Go on from there, briefly, and give the answer.';

/** Of the window, for what was said so far. */
const SO_FAR_SHARE = 0.25;

/** What stands behind the conversation so that its answer goes on, within its share of the window. */
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
 * What was said so far as the assistant's, and a request to go on as the
 * user's. That suits every template, strict ones included; a prompt that ends with the assistant's words does not.
 *
 * @param maxChars Of what was said: a longer text loses its middle.
 */
function continuation({ text, reasoning = '' }: AnswerSoFar, maxChars: number): ChatMessage[] {
  const said = shortened(text, maxChars);
  if (said.trim() !== '') {
    return [
      { role: 'assistant', content: said },
      { role: 'user', content: GO_ON },
    ];
  }
  const thought = shortened(reasoning, maxChars).trim();
  if (thought === '') return [];
  return [
    { role: 'assistant', content: 'I am still thinking.' },
    { role: 'user', content: `${ANSWER_NOW}\n\n${thought}` },
  ];
}

function shortened(text: string, maxChars: number): string {
  return cutMiddle(text, maxChars).text;
}
