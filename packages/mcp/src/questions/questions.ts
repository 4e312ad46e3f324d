import type { ToolContext } from '@longhaul/core';
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { toQuestion } from './to-question.ts';

/** Asks the person who watches a run. */
export type Ask = NonNullable<ToolContext['ask']>;

/** A server could ask without end. */
const MAX_QUESTIONS = 10;

/** The questions of one server. They are asked for the newest of its calls: the protocol does not say for which. */
export class Questions {
  readonly #server: string;
  readonly #calls: { ask: Ask; asked: number }[] = [];

  constructor(server: string) {
    this.#server = server;
  }

  /** A call begins. Questions are asked for it until the result is disposed. */
  during(ask: Ask): Disposable {
    const call = { ask, asked: 0 };
    this.#calls.push(call);
    return { [Symbol.dispose]: () => void this.#calls.splice(this.#calls.indexOf(call), 1) };
  }

  async answer(params: ElicitRequestParams): Promise<ElicitResult> {
    if (params.mode === 'url') return declined('Longhaul opens no addresses for servers.');
    const call = this.#calls.at(-1);
    if (call === undefined) return declined('A question is only answered during a call.');
    call.asked += 1;
    if (call.asked > MAX_QUESTIONS) return declined(`A call can ask ${MAX_QUESTIONS} questions.`);
    const question = toQuestion(this.#server, params);
    if (question === undefined) return declined('A field has a type that cannot be asked.');
    const answer = await call.ask(question);
    if (!answer.isAnswered) return declined(answer.reason);
    // Each value has the type that the server asked for.
    return { action: 'accept', content: answer.content as ElicitResult['content'] };
  }
}

function declined(reason: string): ElicitResult {
  return { action: 'decline', _meta: { 'longhaul/reason': reason } };
}
