import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { RunningCalls } from './running-calls.ts';
import { toQuestion } from './to-question.ts';

/** Asks the person what a server wants to know (elicitation). */
export async function answerQuestion(
  server: string,
  params: ElicitRequestParams,
  calls: RunningCalls,
): Promise<ElicitResult> {
  if (params.mode === 'url') return declined('Longhaul opens no addresses for servers.');
  const call = calls.next();
  if ('refusal' in call) return declined(call.refusal);
  const question = toQuestion(server, params);
  if (question === undefined) return declined('A field has a type that cannot be asked.');
  const answer = await call.asking.ask?.(question);
  if (answer?.isAnswered !== true) return declined(answer?.reason ?? 'nobody can answer');
  // Each value has the type that the server asked for.
  return { action: 'accept', content: answer.content as ElicitResult['content'] };
}

function declined(reason: string): ElicitResult {
  return { action: 'decline', _meta: { 'longhaul/reason': reason } };
}
