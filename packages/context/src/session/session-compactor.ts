import type { Mark } from '@longhaul/protocol';
import { compact } from '../compact.ts';
import type { CompactOutcome } from '../compaction/options.ts';
import { type ContextState, nextDue } from '../decide.ts';
import { createLedgerKeeper } from '../ledger/ledger-keeper.ts';
import type { Summarise } from '../narrative.ts';
import { renderSummary } from '../summary-message.ts';
import type { TokenCounter } from '../tokens.ts';
import type { ViewEntry } from '../view.ts';
import { isCancelled, throwIfAborted, untilAborted } from './cancel.ts';
import type { MessageLog } from './message-log.ts';
import type { SessionMarks } from './session-marks.ts';
import type { CompactedMessages, ContextSessionOptions, FitSignal } from './session-types.ts';
import { summariseWith } from './summarise-with.ts';

export interface CompactionTask<M> {
  log: MessageLog<M>;
  /** Whether the log is still the session's own. If not, the compaction is dropped. */
  isCurrent: () => boolean;
  state: ContextState;
  entries: readonly ViewEntry[];
  /** Returns the caller's messages for some entries. */
  shown: (entries: readonly ViewEntry[]) => M[];
  signal: FitSignal | undefined;
}

/** Compacts a session, one compaction at a time. */
export class SessionCompactor<M> {
  readonly #options: Pick<ContextSessionOptions<M>, 'summarise' | 'format'>;
  readonly #marks: SessionMarks;
  readonly #count: TokenCounter;
  #ledger = createLedgerKeeper();
  #running: Promise<CompactedMessages | undefined> | undefined;
  /** The server refused the last request. The next compaction must make room, whatever the prediction says. */
  wasRefused = false;
  /** No compaction below this many tokens, because the last one freed nothing. 0: the last one did. */
  dueFrom = 0;

  constructor(
    options: Pick<ContextSessionOptions<M>, 'summarise' | 'format'>,
    marks: SessionMarks,
    count: TokenCounter,
  ) {
    this.#options = options;
    this.#marks = marks;
    this.#count = count;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Waits for the compaction that is running. One that its own caller cancels gives undefined: the waiting one may
   * start another.
   */
  async join(signal: FitSignal | undefined): Promise<CompactedMessages | undefined> {
    try {
      return this.#running && (await untilAborted(this.#running, signal));
    } catch (error) {
      throwIfAborted(signal);
      if (isCancelled(error)) return undefined;
      throw error;
    }
  }

  /**
   * Compacts and stores the marks. Returns undefined if nothing could be freed but the request can be sent.
   *
   * @throws {LonghaulError} `context_exhausted`, `cancelled`
   */
  run(task: CompactionTask<M>): Promise<CompactedMessages | undefined> {
    const running = this.#compact(task).finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  /** Call this when messages were removed. */
  forget(): void {
    this.#ledger = createLedgerKeeper();
    this.dueFrom = 0;
    this.wasRefused = false;
  }

  async #compact(task: CompactionTask<M>): Promise<CompactedMessages | undefined> {
    const { log, state, signal } = task;
    // Messages that are appended while a model writes the narrative are not part of this compaction.
    const messageCount = log.natives.length;
    const outcome = await compact({
      log: { messages: [...log.messages], marks: [...this.#marks.all, ...pinsOf(log)] },
      budget: state.budget,
      meter: state.meter,
      strategy: state.policy.strategy,
      reason: this.wasRefused ? 'overflow' : 'threshold',
      count: this.#count,
      ledgerShare: state.policy.ledgerShare,
      ledger: this.#ledger,
      protectedTools: state.policy.protectedTools,
      isSentWhole: (part) => log.isSentWhole(part),
      newId: () => this.#marks.newId(),
      now: 0,
      ...(signal === undefined ? {} : { signal }),
      summarise: this.#summariser(task),
    });
    throwIfAborted(signal);
    return task.isCurrent() ? this.#store(outcome, task, messageCount) : undefined;
  }

  #store(
    outcome: CompactOutcome,
    { log, state }: CompactionTask<M>,
    messageCount: number,
  ): CompactedMessages | undefined {
    const { wasRefused } = this;
    if (outcome.status === 'exhausted') {
      if (!outcome.canBeSent || wasRefused) throw outcome.error;
      this.dueFrom = nextDue(Number(outcome.error.data['tokensBefore']));
      return undefined;
    }
    this.wasRefused = false;
    this.dueFrom = 0;
    const { compaction, marks, warnings } = outcome;
    this.#marks.addCompaction({ kind: 'compaction', sessionId: '', ...compaction }, marks, messageCount);
    state.meter.forgetMeasured();
    // The ledger has read calls without their results. It must read them again.
    if (log.hasOpenCalls) this.#ledger = createLedgerKeeper();
    const { round, tokensBefore, tokensAfter } = compaction;
    return { round, tokensBefore, tokensAfter, summary: renderSummary(compaction), warnings };
  }

  #summariser({ entries, shown, signal }: CompactionTask<M>): Summarise | undefined {
    const { summarise, format } = this.#options;
    if (summarise === undefined) return undefined;
    // A request has the first messages of the view, and one more.
    return summariseWith(summarise, { format, signal, shown: (count) => shown(entries.slice(0, count)) });
  }
}

function pinsOf<M>(log: MessageLog<M>): Mark[] {
  return log.pinned.map((messageId) => ({ kind: 'pin', id: `pin-${messageId}`, messageId, createdAt: 0 }));
}
