import { type Approval, checkContent, LonghaulError, questionOf } from '@longhaul/protocol';
import type { NewAnswer, Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';
import { familyIds, pathFrom, placeAt } from '../subtasks/family-tree.ts';

/** An approval after an answer. */
export interface AnsweredApproval {
  approval: Approval;
  /** False if the only request for the call was already answered. `approval` then has the first answer. */
  isNew: boolean;
}

/** Lists and answers requests for approval, including those of other processes. */
export class ApprovalService {
  readonly #store: Store;
  readonly #hub: EventHub;
  readonly #waiting = new Set<() => void>();

  constructor(options: { store: Store; hub: EventHub }) {
    this.#store = options.store;
    this.#hub = options.hub;
  }

  /**
   * Lists approvals in the order of their requests, then the unanswered ones of the session's descendants. `open`: only
   * unanswered ones.
   */
  async list(sessionId: string, options: { open?: boolean } = {}): Promise<Approval[]> {
    const own = await this.#store.listApprovals(sessionId, options);
    return [...own, ...(await this.#askedByDescendants(sessionId))];
  }

  /** Lists the requests of the session, and those of its family that were answered with `always`. */
  async listRemembered(sessionId: string): Promise<Approval[]> {
    const own = await this.#store.listApprovals(sessionId);
    const others: Approval[] = [];
    for (const id of await familyIds(this.#store, sessionId)) {
      if (id !== sessionId) others.push(...(await this.#store.listApprovals(id)));
    }
    return [...own, ...others.filter(({ answer }) => answer === 'always')];
  }

  /**
   * Answers an open request of the session or of a descendant. Pass its handle if you know it: a provider may reuse a call id, and without the handle a
   * late answer would apply to a later call.
   *
   * @throws {LonghaulError} `session_not_found`; `not_found` if there is no request for the call, or the request with
   * this handle is already answered; `invalid_request` without a handle, if several requests of the session have the
   * call id, or if the values do not fit a question.
   */
  async answer(sessionId: string, callId: string, answer: NewAnswer): Promise<AnsweredApproval> {
    const place =
      answer.handle === undefined ? undefined : await placeAt(this.#store, sessionId, answer.handle);
    const asking = place?.sessionId ?? sessionId;
    const given = place === undefined ? answer : { ...answer, handle: place.handle };
    await this.#checkContent(asking, callId, given);
    const answered = await this.#answer(asking, callId, given);
    if (answer.handle !== undefined && !answered.isNew) throw alreadyAnswered(answered.approval);
    return answered;
  }

  async #askedByDescendants(sessionId: string): Promise<Approval[]> {
    const all = await this.#store.listOpenApprovals({ limit: MAX_OPEN });
    const found: Approval[] = [];
    for (const approval of all) {
      if (approval.sessionId === sessionId) continue;
      const path = await pathFrom(this.#store, sessionId, approval);
      const child = path === undefined ? undefined : await this.#store.getSession(approval.sessionId);
      if (path === undefined || child === undefined) continue;
      const { id, title, metadata } = child;
      const asks = { sessionId: id, agent: String(metadata?.['agent'] ?? ''), title };
      found.push({ ...approval, sessionId, handle: path, child: asks });
    }
    return found;
  }

  /** Refuses a request unless it is already answered. Returns the approval with the answer that applies. */
  async refuse(
    request: Pick<Approval, 'sessionId' | 'callId' | 'handle'>,
    reason: string,
  ): Promise<Approval> {
    const { sessionId, callId, handle } = request;
    return (await this.#answer(sessionId, callId, { answer: 'deny', reason, handle })).approval;
  }

  /** The values must fit the question. */
  async #checkContent(sessionId: string, callId: string, answer: NewAnswer): Promise<void> {
    if (answer.answer === 'deny') return;
    const asked = (await this.#store.listApprovals(sessionId, { open: true })).find(
      (open) => open.callId === callId && (answer.handle === undefined || open.handle === answer.handle),
    );
    const question = asked && questionOf(asked);
    const checked = question && checkContent(question, answer.content);
    if (checked?.ok === false) throw new LonghaulError('invalid_request', checked.reason);
  }

  async #answer(sessionId: string, callId: string, answer: NewAnswer): Promise<AnsweredApproval> {
    const answered = await this.#store.answerApproval(sessionId, callId, answer);
    if (answered === undefined) throw noSuchRequest(sessionId, callId, answer.handle);
    for (const event of answered.events) this.#hub.emit(event);
    for (const wake of this.#waiting) wake();
    return { approval: answered.approval, isNew: answered.isNew };
  }

  /**
   * Returns the approval when it is answered, or its current state when the signal aborts or after `withinMs`.
   * `withinMs` is measured by the monotonic clock, so setting the clock has no effect.
   */
  async waitForAnswer(
    approval: Approval,
    { signal, withinMs }: { signal: AbortSignal; withinMs: number | undefined },
  ): Promise<Approval> {
    const until = withinMs === undefined ? undefined : performance.now() + withinMs;
    for (;;) {
      using change = this.#nextChange(signal, until);
      const now = await this.#read(approval);
      const isOver = signal.aborted || (until !== undefined && performance.now() >= until);
      if (now.answeredAt !== undefined || isOver) return now;
      await change.happened;
    }
  }

  async #read(approval: Approval): Promise<Approval> {
    const all = await this.#store.listApprovals(approval.sessionId);
    return all.find(({ handle }) => handle === approval.handle) ?? approval;
  }

  /**
   * Starts listening at once, so that a change between reading the state and waiting is not missed.
   *
   * @param until On the monotonic clock.
   */
  #nextChange(signal: AbortSignal, until: number | undefined): { happened: Promise<void> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer =
      until === undefined
        ? undefined
        : setTimeout(resolve, Math.min(MAX_TIMER_MS, Math.max(0, until - performance.now())));
    const watch = this.#store.watch(resolve);
    this.#waiting.add(resolve);
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort);
    return {
      happened: promise,
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        watch[Symbol.dispose]();
        this.#waiting.delete(resolve);
        signal.removeEventListener('abort', onAbort);
      },
    };
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;
/** More requests do not wait at once. */
const MAX_OPEN = 1_000;

function noSuchRequest(sessionId: string, callId: string, handle?: string): LonghaulError {
  const at = handle === undefined ? '' : ` at ${handle}`;
  return new LonghaulError(
    'not_found',
    `Session ${sessionId} has no request for approval of call "${callId}"${at}. List the session's approvals to see the open requests.`,
    { data: { sessionId, callId, ...(handle === undefined ? {} : { handle }) } },
  );
}

function alreadyAnswered({ sessionId, callId, handle, answer }: Approval): LonghaulError {
  return new LonghaulError(
    'not_found',
    `The request for call "${callId}" at ${handle} is already answered (${answer}). List the session's approvals to see the open requests.`,
    { data: { sessionId, callId, handle, ...(answer === undefined ? {} : { answer }) } },
  );
}
