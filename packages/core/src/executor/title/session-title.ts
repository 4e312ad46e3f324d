import { countByClasses } from '@longhaul/context/engine';
import { isBlank, type Message, type Session, type TokenUsage } from '@longhaul/protocol';
import type { ModelDriver, SessionPatch } from '../../ports/index.ts';
import { answerText } from '../../session/messages/answer-text.ts';
import type { RunEnd } from '../../session/runs/run-result.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { cleanTitle } from '../../session/title/clean-title.ts';
import {
  defaultTitle,
  hasDefaultTitle,
  isSameTitle,
  isUnnamed,
  taskOf,
} from '../../session/title/default-title.ts';
import type { RunAccount } from '../limits/run-account.ts';
import { type OneAnswer, oneAnswer } from '../model-call/one-answer.ts';
import { mayAsk, titleFailure } from './title-failure.ts';
import { hasReasoned, isOfUser, type TitleSource, titleRequest } from './title-request.ts';

export interface TitleSettings {
  /** As it was when the run started. */
  session: Session;
  /** Absent: no model is asked. */
  model?: { driver: ModelDriver; costOf: (usage: TokenUsage) => number | undefined } | undefined;
  /** Keeps in the session why no title was given. */
  save: (patch: Pick<SessionPatch, 'metadata'>) => Promise<unknown>;
}

type TitleModel = NonNullable<TitleSettings['model']>;

export interface SessionTitleOptions {
  /** Undefined: the session keeps its title. */
  settings: TitleSettings | undefined;
  writer: SessionWriter;
  account: RunAccount;
  /** That of the run. */
  signal: AbortSignal;
}

const TITLE_MS = 20_000;

/**
 * Gives a session its title: the first line of its task, and later what a model answers when it is asked for a title, at
 * most once in a run. The call is no step, and no step waits for it. If it fails, the title stays, and the session's
 * metadata says why.
 *
 * A run that answers without a tool asks for none: its task is a short question, which is its own best title.
 */
export class SessionTitle {
  readonly #options: SessionTitleOptions;
  readonly #stopped = new AbortController();
  #session: Session | undefined;
  /** What the title is made of, if it is asked for at the end of the run. */
  #later: TitleSource | undefined;
  /** Does not reject. */
  #asked: Promise<void> | undefined;

  constructor(options: SessionTitleOptions) {
    this.#options = options;
    this.#session = options.settings?.session;
  }

  /** A session that was created without a task gets it from its first message. */
  async afterTaking(messages: readonly Message[]): Promise<void> {
    const session = this.#session;
    const text = taskOf(answerText(messages.find(isOfUser)));
    if (session === undefined || !isUnnamed(session) || isBlank(text)) return;
    const named = { title: defaultTitle(text), task: text };
    const change = { from: session.title, to: named.title, task: text };
    if (await this.#options.writer.retitle(change)) this.#session = { ...session, ...named };
  }

  /** Asks while the tools of the first step run. Returns at once. */
  afterStep(step: Message): void {
    const { settings, writer } = this.#options;
    const { model } = settings ?? {};
    const session = this.#session;
    if (model === undefined || session === undefined || !hasDefaultTitle(session) || !mayAsk(session)) return;
    if (this.#asked !== undefined || this.#later !== undefined) return;
    const source = { session, messages: [...writer.log.messages], step };
    // A server for local models may keep the prompt of only one conversation in memory. Between two steps, another
    // request would make it read the whole session again.
    if (model.driver.info.isLocal === true) this.#later = source;
    else this.#asked = this.#ask(model, source);
  }

  /** Returns when the call has ended: a completed run waits for its title, and another one stops the call. */
  async atEnd({ status }: RunEnd): Promise<void> {
    const { settings, signal } = this.#options;
    if (status !== 'completed' && status !== 'limit') this.#stopped.abort();
    const isDue = status === 'completed' && !signal.aborted && this.#asked === undefined;
    if (isDue && settings?.model !== undefined && this.#later !== undefined)
      this.#asked = this.#ask(settings.model, this.#later);
    await this.#asked;
  }

  async #ask(model: TitleModel, source: TitleSource): Promise<void> {
    const { signal: ofRun, writer, settings } = this.#options;
    const stopped = AbortSignal.any([ofRun, this.#stopped.signal]);
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(TITLE_MS)]);
    const { session } = source;
    const request = titleRequest(source, { reasons: reasonsUnlimited(source, model) });
    try {
      const answer = await oneAnswer(model.driver, { ...request, signal });
      this.#count(answer, { model, asked: request });
      const title = titleOf(answer);
      const isBetter = title !== undefined && !isSameTitle(title, session.title);
      if (isBetter) await writer.retitle({ from: session.title, to: title });
      else if (!stopped.aborted && !isUnpaid(answer))
        await settings?.save({ metadata: titleFailure(session, answer) });
    } catch {
      // The store has failed, or another process has taken the session. The run's own writes report it.
    }
  }

  #count(
    answer: OneAnswer,
    { model, asked }: { model: TitleModel; asked: ReturnType<typeof titleRequest> },
  ): void {
    if (answer.status === 'failed') return;
    const inputTokens = countByClasses(asked.system + JSON.stringify(asked.messages));
    const estimate = { inputTokens, outputTokens: countByClasses(answer.text) };
    this.#options.account.addCall(answer.usage, estimate, model.costOf);
  }
}

function titleOf(answer: OneAnswer): string | undefined {
  if (answer.status === 'failed') return undefined;
  return cleanTitle(answer.text, { isCut: answer.finishReason === 'length' });
}

/** No model was asked. A later run asks. */
function isUnpaid(answer: OneAnswer): boolean {
  return answer.status === 'failed' && answer.error?.code === 'budget_exceeded';
}

/** Whether the model reasons, and its driver does not know how much. */
function reasonsUnlimited({ step }: TitleSource, { driver }: TitleModel): boolean {
  return hasReasoned(step) && driver.info.reasoningTokens === undefined;
}
