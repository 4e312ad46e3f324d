import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';
import type { AnswerSoFar } from '../compaction/types.ts';
import type { FailedAnswer } from './explain-failure.ts';
import type { TurnContext } from './turn-context.ts';
import type { TurnLessons } from './turn-lessons.ts';
import { readWhole } from './whole-answer.ts';

export interface ContinuerOptions {
  context: TurnContext;
  lessons: TurnLessons;
  /** Sends the request as it is prepared now. */
  send: () => Promise<IncomingMessage>;
  explain: (thrown: unknown, answer?: FailedAnswer) => LonghaulError;
  maxBodyBytes: number;
}

/** Continues an answer that has filled the window in a new request. */
export class AnswerContinuer {
  readonly #options: ContinuerOptions;

  constructor(options: ContinuerOptions) {
    this.#options = options;
  }

  /** Returns the error if no room is left to continue, so that the answer ends as one that has filled its window. */
  async continueOrEnd(soFar: AnswerSoFar, refusal?: LonghaulError): Promise<IncomingMessage | LonghaulError> {
    try {
      return await this.continue(soFar, refusal);
    } catch (thrown) {
      if (thrown instanceof LonghaulError && thrown.code === 'context_exhausted') return thrown;
      throw thrown;
    }
  }

  /**
   * Requests the rest of an answer. If the upstream refuses that as too long, learns from the refusal and retries. Each
   * attempt counts as a restart.
   *
   * @throws {LonghaulError} `context_exhausted` after the last restart; the upstream's error otherwise.
   */
  async continue(soFar: AnswerSoFar, refusal?: LonghaulError): Promise<IncomingMessage> {
    const { context, lessons, send, explain, maxBodyBytes } = this.#options;
    for (let error = refusal; ; ) {
      if (error !== undefined && !(await lessons.learnOverflow(error))) throw error;
      await context.continueAnswer(soFar);
      const answer = await send();
      if (answer.statusCode === 200) return answer;
      const whole = await readWhole(answer, maxBodyBytes);
      error = explain(undefined, { status: whole.status, body: whole.text });
    }
  }
}
