import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import { StepParts } from './step-parts.ts';
import type { ChatMetadata, UiChunk, UiFinishReason } from './ui-chunk.ts';
import { callNotRun, notice, remark, toolOutput, toUiReason } from './ui-remarks.ts';

export interface UiTranslatorOptions {
  sessionId: string;
  /**
   * Id of the user message. Events before its delivery belong to another answer and are skipped. Absent: no event is
   * skipped.
   */
  awaits?: string;
  /** Id of the UI message. Absent: the stream continues the page's last message. */
  messageId?: string;
  /**
   * Whether another run will deliver the message if the current run is cancelled before the delivery. Default: false.
   */
  isTakenUp?: () => boolean;
  /** Ids of calls that wait for approval, as the page shows them. */
  waiting?: readonly string[];
}

/**
 * Converts the events of a session to the parts of one UI message. The message starts with the delivery of a user
 * message. It ends with the run, or when all remaining calls wait for approval. The class has state but no side
 * effects.
 */
export class UiTranslator {
  readonly #options: UiTranslatorOptions;
  readonly #parts = new StepParts();
  /** Calls without a result, and whether each waits for approval. */
  readonly #calls = new Map<string, { waits: boolean }>();
  readonly #denied = new Set<string>();
  #isStarted: boolean;
  #isInStep = false;
  #isEnded = false;
  #lastEvent: number | undefined;

  constructor(options: UiTranslatorOptions) {
    this.#options = options;
    this.#isStarted = options.awaits === undefined;
    for (const callId of options.waiting ?? []) this.#calls.set(callId, { waits: true });
  }

  /** Whether the message has been delivered. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Whether the answer has ended. Later events are ignored. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Returns the chunks that come before any event. */
  begin(): UiChunk[] {
    const { messageId, sessionId } = this.#options;
    return [{ type: 'start', messageId, messageMetadata: { sessionId } }];
  }

  push(event: LonghaulEvent): UiChunk[] {
    if (this.#isEnded) return [];
    this.#lastEvent = event.number ?? this.#lastEvent;
    return this.#isStarted ? this.#translate(event) : this.#await(event);
  }

  /** Ends an answer that will not end with an event. */
  end(finishReason: UiFinishReason): UiChunk[] {
    return this.#end(finishReason);
  }

  #await(event: LonghaulEvent): UiChunk[] {
    const { awaits = '' } = this.#options;
    if (event.type === 'message:queued' && event.id === awaits) return remark(event);
    if (event.type === 'message:dequeued' && event.ids.includes(awaits)) {
      this.#isStarted = true;
      return remark({ ...event, ids: [awaits] });
    }
    if (event.type === 'run:waiting' && event.position === undefined)
      return [
        notice('The session waits no longer. The message is still in the queue.'),
        ...this.#end('other'),
      ];
    if (event.type !== 'run:finished' || event.status === 'completed') return [];
    if (event.status === 'cancelled' && this.#options.isTakenUp?.() === true) return [];
    // A run that did not complete leaves its queue unchanged.
    return [
      notice(`The previous run ended (${event.status}). The message is still in the queue.`),
      ...this.#end('other'),
    ];
  }

  #translate(event: LonghaulEvent): UiChunk[] {
    switch (event.type) {
      case 'llm:thinking':
        return [...this.#endStep(), ...this.#beginStep()];
      case 'llm:chunk':
        return [...this.#beginStep(), ...this.#parts.chunk(event)];
      case 'llm:tool-call':
        this.#calls.set(event.callId, { waits: false });
        return [...this.#beginStep(), ...this.#parts.call(event)];
      case 'llm:response':
        return [...this.#beginStep(), ...this.#parts.response(event)];
      case 'llm:error':
        return this.#brokenOff(event);
      case 'llm:tool-result':
        return this.#toolResult(event);
      case 'approval:requested':
        return this.#approvalRequested(event);
      case 'approval:answered':
        return this.#approvalAnswered(event);
      case 'run:finished':
        return this.#finished(event);
      default:
        return remark(event);
    }
  }

  #beginStep(): UiChunk[] {
    if (this.#isInStep) return [];
    this.#isInStep = true;
    this.#parts.reset();
    return [{ type: 'start-step' }];
  }

  #endStep(): UiChunk[] {
    if (!this.#isInStep) return [];
    this.#isInStep = false;
    return [...this.#parts.end(), { type: 'finish-step' }];
  }

  /**
   * Handles an answer that broke off. Without text or calls, the retry belongs to the same step. Otherwise the text is
   * kept, the answer continues in the next step, and the calls are not run.
   */
  #brokenOff({ content, reasoning }: EventOf<'llm:error'>): UiChunk[] {
    const dropped = [...this.#calls].flatMap(([callId, { waits }]) => (waits ? [] : callId));
    for (const callId of dropped) this.#calls.delete(callId);
    if (content === undefined && reasoning === undefined && dropped.length === 0) return [];
    return [
      ...this.#beginStep(),
      ...this.#parts.response({ content, reasoning }),
      ...dropped.map((callId) => callNotRun(callId)),
    ];
  }

  #toolResult(event: EventOf<'llm:tool-result'>): UiChunk[] {
    this.#calls.delete(event.callId);
    const output = toolOutput(event, this.#denied.has(event.callId));
    return [...this.#parts.end(), output, ...this.#endIfAllWait()];
  }

  #approvalRequested({ callId, handle }: EventOf<'approval:requested'>): UiChunk[] {
    this.#calls.set(callId, { waits: true });
    const asked: UiChunk = { type: 'tool-approval-request', approvalId: handle, toolCallId: callId };
    return [...this.#parts.end(), asked, ...this.#endIfAllWait()];
  }

  #approvalAnswered({ callId, handle, allowed, reason }: EventOf<'approval:answered'>): UiChunk[] {
    const call = this.#calls.get(callId);
    if (call?.waits !== true) return [];
    call.waits = false;
    if (!allowed) this.#denied.add(callId);
    return [{ type: 'tool-approval-response', approvalId: handle, approved: allowed, reason }];
  }

  /**
   * Ends the stream if all remaining calls wait for approval. The page sends its answers in a new request, after this
   * stream has ended.
   */
  #endIfAllWait(): UiChunk[] {
    const calls = [...this.#calls.values()];
    const allWait = calls.length > 0 && calls.every(({ waits }) => waits);
    return allWait ? this.#end('tool-calls') : [];
  }

  #finished({ status, error, usage, cost, finishReason }: EventOf<'run:finished'>): UiChunk[] {
    const facts = { status, totalTokens: usage.totalTokens, cost };
    const why = error?.message ?? `The run ended with status ${status}.`;
    if (status === 'completed') return this.#end(toUiReason(finishReason), facts);
    if (status === 'cancelled') return [...this.#end('other', facts), { type: 'abort', reason: 'cancelled' }];
    if (status === 'limit') return [...this.#endStep(), notice(why), ...this.#end('other', facts)];
    // The error comes last, because a page stops reading there.
    return [...this.#end('error', facts), { type: 'error', errorText: why }];
  }

  #end(finishReason: UiFinishReason, facts: Partial<ChatMetadata> = {}): UiChunk[] {
    this.#isEnded = true;
    const { sessionId } = this.#options;
    const messageMetadata = { sessionId, lastEvent: this.#lastEvent, ...facts };
    return [...this.#endStep(), { type: 'finish', finishReason, messageMetadata }];
  }
}
