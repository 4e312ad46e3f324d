import type { Script } from '@longhaul/scripted-model';
import { callAt, sentenceAt } from './work.ts';

/** Number of answers in a turn, without summaries. Each turn is a run of its own, as in a chat. */
const ANSWERS_A_TURN = 12;

let answers = 0;

/** The model of the soak, for the scripted server's process: a call at each request, and an answer at a turn's end. */
export const script: Script = ({ number, asksForSummary }) => {
  if (asksForSummary) return `The work reached request ${number}. ${sentenceAt(number)}.`;
  answers += 1;
  const text = `Request ${number}: ${sentenceAt(number)}.`;
  if (answers % ANSWERS_A_TURN === 0) return text;
  return { text, toolCalls: [{ ...callAt(number), arguments: { ...callAt(number).arguments } }] };
};
