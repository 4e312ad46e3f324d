import { LonghaulError } from '@longhaul/protocol';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { RunEnd } from '../session/runs/run-result.ts';
import { AFTER_EMPTY } from '../session/runs/turn-state.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { StepOutcome } from './model-call/step-outcome.ts';
import { type AnswerEnding, callUnread, emptyAnswer, repeatedlyCutOff, unknownEnd } from './run-errors.ts';
import type { WorkLeft } from './unfinished-work.ts';

/** How often in a row the model is asked to continue, before the run gives up. */
const MAX_CONTINUES = 3;
const MAX_EMPTY_ANSWERS = 1;
const MAX_UNKNOWN_ENDS = 1;

const TEXTS = {
  'continue-cut': 'The connection broke during your answer. Continue from where the text above stops.',
  'continue-paused': 'Continue your turn.',
  'continue-length': 'Your answer reached its length limit. Continue exactly where it stopped.',
  'continue-empty': AFTER_EMPTY,
  'continue-truncated':
    'Answer again: the server had dropped the start of this conversation, so your last answer was not used. The conversation above is complete again, with older parts as a summary.',
} as const;

const ENDED_UNKNOWN =
  'Your answer may have been cut off. If it is complete, repeat its result in one sentence; otherwise continue from where the text above stops.';

const CALL_UNREAD =
  'Your answer contains a tool call as text, which was not run. Call the tool with valid arguments; or, if the work is done, say what you did.';

const CALL_AS_ANSWER =
  'The answer contains text in the form of a tool call, twice in a row. It was not run, and the answer was accepted.';

const CALL_MISSING =
  'Your answer announced a tool call but contained none. Make the call; or, if the work is done, say what you did.';

/** An item of a todo list can be long, and so can the list. */
const MAX_NAMED_ITEMS = 20;

type Reason = keyof typeof TEXTS;

export interface AnswerCuts {
  /** Consecutive answers so far that the model was asked to continue. */
  soFar: number;
  /** Another one ends the run. */
  isLast: boolean;
}

/** Asks the model to continue after an answer that does not end the work, and limits how often in a row. */
export class Continuations {
  readonly #writer: SessionWriter;
  #continues = 0;
  #emptyAnswers = 0;
  #unknownEnds = 0;

  constructor(writer: SessionWriter) {
    this.#writer = writer;
  }

  get cuts(): AnswerCuts {
    return { soFar: this.#continues, isLast: this.#continues >= MAX_CONTINUES };
  }

  /** Resets the counts after tools have run. If the answer with the calls was cut off, it still counts as cut off. */
  afterTools({ wasCut }: { wasCut: boolean }): void {
    if (!wasCut) this.#continues = 0;
    this.#emptyAnswers = 0;
    this.#unknownEnds = 0;
  }

  /** The stream broke off in the middle of an answer. The received part is kept. */
  async afterBrokenStream(error: LonghaulError): Promise<RunEnd | undefined> {
    return this.cuts.isLast ? { status: 'failed', error: gaveUpAfterCuts(error) } : this.ask('continue-cut');
  }

  /**
   * The answer ended inside a tool call. The result of the call asks the model to repeat it, so nothing is appended
   * here.
   */
  afterCutCall(): RunEnd | undefined {
    this.#continues += 1;
    return this.#endIfTooMany();
  }

  /** The answer ended for an unknown reason, so it may be incomplete. The second time in a row, the run fails. */
  async afterUnknownEnd(ended: AnswerEnding): Promise<RunEnd | undefined> {
    this.#unknownEnds += 1;
    if (this.#unknownEnds > MAX_UNKNOWN_ENDS) return { status: 'failed', error: unknownEnd(ended) };
    await this.#writer.appendMessage(draftSyntheticMessage(ENDED_UNKNOWN, 'continue-cut'));
    return undefined;
  }

  /** The provider paused the turn, and names no reason to end it. */
  async afterPause({
    continuesAsSent,
  }: {
    continuesAsSent?: boolean | undefined;
  }): Promise<RunEnd | undefined> {
    if (!continuesAsSent) return this.ask('continue-paused');
    this.#continues += 1;
    return this.#endIfTooMany();
  }

  /** Returns undefined if the model was asked to continue. */
  async ask(reason: Reason): Promise<RunEnd | undefined> {
    if (reason === 'continue-empty') return this.#askAfterEmpty(TEXTS[reason]);
    this.#continues += 1;
    const end = this.#endIfTooMany();
    if (end !== undefined) return end;
    await this.#writer.appendMessage(draftSyntheticMessage(TEXTS[reason], reason));
    return undefined;
  }

  /** The answer is final, but it leaves work undone. */
  async askToFinish(left: WorkLeft): Promise<void> {
    await this.#writer.appendMessage(draftSyntheticMessage(workLeftText(left), 'continue-open'));
  }

  /**
   * The finish reason was `tool-calls`, but there was no call, or the text can be one that was not read. The second
   * time in a row, the text is the final answer, unless it ends in a call that cannot be read.
   */
  async afterMissingCall({ unreadCall }: Pick<StepOutcome, 'unreadCall'>): Promise<RunEnd | undefined> {
    if (this.#emptyAnswers < MAX_EMPTY_ANSWERS)
      return this.#askAfterEmpty(unreadCall === undefined ? CALL_MISSING : CALL_UNREAD);
    if (unreadCall === 'broken') return { status: 'failed', error: callUnread() };
    if (unreadCall === 'uncertain')
      await this.#writer.announce({ type: 'context:warning', message: CALL_AS_ANSWER });
    return { status: 'completed' };
  }

  async #askAfterEmpty(text: string): Promise<RunEnd | undefined> {
    this.#emptyAnswers += 1;
    if (this.#emptyAnswers > MAX_EMPTY_ANSWERS) return { status: 'failed', error: emptyAnswer() };
    await this.#writer.appendMessage(draftSyntheticMessage(text, 'continue-empty'));
    return undefined;
  }

  #endIfTooMany(): RunEnd | undefined {
    if (this.#continues <= MAX_CONTINUES) return undefined;
    return { status: 'limit', error: repeatedlyCutOff(MAX_CONTINUES + 1) };
  }
}

function gaveUpAfterCuts({ code, message, data, cause }: LonghaulError): LonghaulError {
  const note = `Gave up after ${MAX_CONTINUES + 1} interrupted answers in a row.`;
  return new LonghaulError(code, `${message} ${note}`, { data, cause });
}

function workLeftText({ items, isAnnounced }: WorkLeft): string {
  const more = items.length > MAX_NAMED_ITEMS ? [`- and ${items.length - MAX_NAMED_ITEMS} more`] : [];
  const named = [...items.slice(0, MAX_NAMED_ITEMS).map((item) => `- ${item}`), ...more].join('\n');
  return [
    'A note from the program, not from the user.',
    isAnnounced ? 'Your answer announces a step, but it contains no tool call.' : '',
    items.length === 0 ? '' : `These items of your todo list are open:\n${named}\n`,
    `Continue with the work. If it is done or blocked, ${items.length === 0 ? 'say so' : 'update the list and say so'}. Your next answer without a tool call ends the run and replaces this one, so make it complete.`,
  ]
    .filter((text) => text !== '')
    .join(' ')
    .replaceAll('\n ', '\n');
}
