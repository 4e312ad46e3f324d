import { LonghaulError } from '@longhaul/protocol';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { RunEnd } from '../session/runs/run-result.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { emptyAnswer, neverDone } from './run-errors.ts';

/** Each of these may happen so often in a row before the run gives up. */
const MAX_CONTINUES = 3;
const MAX_EMPTY_ANSWERS = 1;

const TEXTS = {
  'continue-cut':
    'The connection broke in the middle of your answer. What you had written stands above; go on from there.',
  'continue-length': 'Your answer was cut off by its length limit. Go on exactly where it stopped.',
  'continue-empty': 'Your answer was empty. If the work is done, say what was done; else go on with it.',
  'continue-truncated':
    'The server had dropped the beginning of this conversation when you gave that answer, so it was not acted on. What stands above is whole again, older parts as a summary. Answer anew.',
} as const;

const CALL_MISSING =
  'Your answer says that it calls a tool, and no call came with it. Give the call again; or, if the work is done, say what was done.';

type Reason = keyof typeof TEXTS;

export interface AnswerCuts {
  soFar: number;
  isLast: boolean;
}

/** Asks the model to go on where its answer is no end of the work, and counts how often in a row. */
export class Continuations {
  readonly #writer: SessionWriter;
  #continues = 0;
  #emptyAnswers = 0;

  constructor(writer: SessionWriter) {
    this.#writer = writer;
  }

  /** Answers in a row that had to be gone on with, and whether a further one would end the run. */
  get cuts(): AnswerCuts {
    return { soFar: this.#continues, isLast: this.#continues >= MAX_CONTINUES };
  }

  /** Tools were run. After calls that were cut off, that alone is no progress. */
  toolsRun({ wasCut }: { wasCut: boolean }): void {
    if (!wasCut) this.#continues = 0;
    this.#emptyAnswers = 0;
  }

  /** The answer broke off; what it had brought stands. */
  async afterCut(error: LonghaulError): Promise<RunEnd | undefined> {
    return this.cuts.isLast ? { status: 'failed', error: givenUpAfterCuts(error) } : this.ask('continue-cut');
  }

  /** The answer ended inside a call, which the model is told as the call's result. */
  afterCutCall(): RunEnd | undefined {
    this.#continues += 1;
    return this.#isHopeless() ? hopeless() : undefined;
  }

  /** Undefined: the model was asked. */
  async ask(reason: Reason): Promise<RunEnd | undefined> {
    if (reason === 'continue-empty') return this.#askAgain(TEXTS[reason]);
    this.#continues += 1;
    if (this.#isHopeless()) return hopeless();
    await this.#writer.appendMessage(draftSyntheticMessage(TEXTS[reason], reason));
    return undefined;
  }

  /** The answer announced a call that did not come. Said twice, its text is the answer. */
  async afterMissingCall(): Promise<RunEnd | undefined> {
    return this.#emptyAnswers < MAX_EMPTY_ANSWERS ? this.#askAgain(CALL_MISSING) : { status: 'completed' };
  }

  async #askAgain(text: string): Promise<RunEnd | undefined> {
    this.#emptyAnswers += 1;
    if (this.#emptyAnswers > MAX_EMPTY_ANSWERS) return { status: 'failed', error: emptyAnswer() };
    await this.#writer.appendMessage(draftSyntheticMessage(text, 'continue-empty'));
    return undefined;
  }

  #isHopeless(): boolean {
    return this.#continues > MAX_CONTINUES;
  }
}

function givenUpAfterCuts({ code, message, data, cause }: LonghaulError): LonghaulError {
  const tries = `Given up after ${MAX_CONTINUES + 1} answers in a row that broke off.`;
  return new LonghaulError(code, `${message} ${tries}`, { data, cause });
}

function hopeless(): RunEnd {
  return { status: 'limit', error: neverDone(MAX_CONTINUES + 1) };
}
