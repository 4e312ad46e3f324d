import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import { StepParts } from './step-parts.ts';
import type { ChatMetadata, UiChunk, UiFinishReason } from './ui-chunk.ts';
import { callNotRun, notice, remark, toolOutput, toUiReason } from './ui-remarks.ts';

export interface UiTranslatorOptions {
  sessionId: string;
  /** Id of the message whose answer this is: what comes before its delivery belongs to another. Absent: all that comes is told. */
  awaits?: string;
  /** Id of the UI message. Absent: the page's last one is gone on with. */
  messageId?: string;
  /** A run that is cancelled before the delivery is followed by one that takes the message. Default: it is not. */
  isTakenUp?: () => boolean;
  /** Calls that wait for approval, as the page knows. */
  waiting?: readonly string[];
}

/**
 * Turns the events of a session into the parts of one UI message: from the delivery of a user message to the end of the run, or to the
 * moment when all that is left waits for approval. Pure but for what it remembers.
 */
export class UiTranslator {
  readonly #options: UiTranslatorOptions;
  readonly #parts = new StepParts();
  /** Calls without a result, and whether they wait for approval. */
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

  /** Nothing more belongs to this answer. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What is said before any event. */
  begin(): UiChunk[] {
    const { messageId, sessionId } = this.#options;
    const id = messageId === undefined ? {} : { messageId };
    return [{ type: 'start', ...id, messageMetadata: { sessionId } }];
  }

  push(event: LonghaulEvent): UiChunk[] {
    if (this.#isEnded) return [];
    this.#lastEvent = event.number ?? this.#lastEvent;
    return this.#isStarted ? this.#translate(event) : this.#await(event);
  }

  /** Ends an answer that no event will end. */
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
    if (event.type !== 'run:finished' || event.status === 'completed') return [];
    if (event.status === 'cancelled' && this.#options.isTakenUp?.() === true) return [];
    // A run that ends otherwise leaves the queue as it is.
    return [notice(`The run before ended (${event.status}); the message waits.`), ...this.#end('other')];
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

  /** What was tried again without a word belongs to the same step. What was said stands, and is gone on from in the next; its calls are not run. */
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
    const said = reason === undefined ? {} : { reason };
    return [{ type: 'tool-approval-response', approvalId: handle, approved: allowed, ...said }];
  }

  /** A page answers in a request of its own, which it sends once this stream has ended. */
  #endIfAllWait(): UiChunk[] {
    const calls = [...this.#calls.values()];
    const allWait = calls.length > 0 && calls.every(({ waits }) => waits);
    return allWait ? this.#end('tool-calls') : [];
  }

  #finished({ status, error, usage, cost, finishReason }: EventOf<'run:finished'>): UiChunk[] {
    const facts = { status, totalTokens: usage.totalTokens, cost };
    const why = error?.message ?? `The run ended: ${status}.`;
    if (status === 'completed') return this.#end(toUiReason(finishReason), facts);
    if (status === 'cancelled') return [...this.#end('other', facts), { type: 'abort', reason: 'cancelled' }];
    if (status === 'limit') return [...this.#endStep(), notice(why), ...this.#end('other', facts)];
    // Last: a page stops reading there.
    return [...this.#end('error', facts), { type: 'error', errorText: why }];
  }

  #end(finishReason: UiFinishReason, facts: Partial<ChatMetadata> = {}): UiChunk[] {
    this.#isEnded = true;
    const { sessionId } = this.#options;
    const lastEvent = this.#lastEvent === undefined ? {} : { lastEvent: this.#lastEvent };
    const messageMetadata = { sessionId, ...lastEvent, ...facts };
    return [...this.#endStep(), { type: 'finish', finishReason, messageMetadata }];
  }
}
