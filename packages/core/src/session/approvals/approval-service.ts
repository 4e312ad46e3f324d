import { type Approval, LonghaulError } from '@longhaul/protocol';
import type { NewAnswer, Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';

export interface AnsweredApproval {
  approval: Approval;
  /** False: somebody was faster with the only request for the call, and `approval` holds what they said. */
  isNew: boolean;
}

/** Requests for approval, in whichever process they were made, and their answers. */
export class ApprovalService {
  readonly #store: Store;
  readonly #hub: EventHub;
  readonly #waiting = new Set<() => void>();

  constructor(options: { store: Store; hub: EventHub }) {
    this.#store = options.store;
    this.#hub = options.hub;
  }

  /** In the order in which they were requested. `open`: only those that wait. */
  list(sessionId: string, options: { open?: boolean } = {}): Promise<Approval[]> {
    return this.#store.listApprovals(sessionId, options);
  }

  /**
   * Answers an open request. Whoever knows its handle gives it: a provider may use a call's id again, and an answer that comes late would
   * else be one to a call that nobody has seen.
   *
   * @throws {LonghaulError} `session_not_found`; `not_found` when no such call has asked, or the request with this handle waits no longer;
   * `invalid_request` without a handle, where several requests of the session have the call's id.
   */
  async answer(sessionId: string, callId: string, answer: NewAnswer): Promise<AnsweredApproval> {
    const answered = await this.#answer(sessionId, callId, answer);
    if (answer.handle !== undefined && !answered.isNew) throw waitsNoLonger(answered.approval);
    return answered;
  }

  /** Refuses what nobody shall answer any more. Whoever was faster is heard: the result holds what they said. */
  async refuse(
    request: Pick<Approval, 'sessionId' | 'callId' | 'handle'>,
    reason: string,
  ): Promise<Approval> {
    const { sessionId, callId, handle } = request;
    return (await this.#answer(sessionId, callId, { answer: 'deny', reason, handle })).approval;
  }

  async #answer(sessionId: string, callId: string, answer: NewAnswer): Promise<AnsweredApproval> {
    const answered = await this.#store.answerApproval(sessionId, callId, answer);
    if (answered === undefined) throw nothingAsked(sessionId, callId, answer.handle);
    for (const event of answered.events) this.#hub.emit(event);
    for (const wake of this.#waiting) wake();
    return { approval: answered.approval, isNew: answered.isNew };
  }

  /** The approval once it is answered; as it is when the signal aborts or the time (milliseconds since 1970) has come. */
  async waitForAnswer(
    approval: Approval,
    { signal, until }: { signal: AbortSignal; until: number | undefined },
  ): Promise<Approval> {
    for (;;) {
      using change = this.#nextChange(signal, until);
      const now = await this.#read(approval);
      const isOver = signal.aborted || (until !== undefined && Date.now() >= until);
      if (now.answeredAt !== undefined || isOver) return now;
      await change.happened;
    }
  }

  async #read(approval: Approval): Promise<Approval> {
    const all = await this.#store.listApprovals(approval.sessionId);
    return all.find(({ handle }) => handle === approval.handle) ?? approval;
  }

  /** Listens from now on, so that nothing between a look and the waiting is missed. */
  #nextChange(signal: AbortSignal, until: number | undefined): { happened: Promise<void> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer =
      until === undefined
        ? undefined
        : setTimeout(resolve, Math.min(MAX_TIMER_MS, Math.max(0, until - Date.now())));
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

function nothingAsked(sessionId: string, callId: string, handle?: string): LonghaulError {
  const at = handle === undefined ? '' : ` at ${handle}`;
  return new LonghaulError(
    'not_found',
    `No call "${callId}"${at} of session ${sessionId} has asked for approval. Its list of approvals names those that wait.`,
    { data: { sessionId, callId, ...(handle === undefined ? {} : { handle }) } },
  );
}

function waitsNoLonger({ sessionId, callId, handle, answer }: Approval): LonghaulError {
  return new LonghaulError(
    'not_found',
    `The request for call "${callId}" at ${handle} waits no longer: it has been answered before (${answer}). What is asked for now is in the session's list of approvals.`,
    { data: { sessionId, callId, handle, ...(answer === undefined ? {} : { answer }) } },
  );
}
