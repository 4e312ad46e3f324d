import type { Message, MessageMetadata, Part, ProviderMetadata, ToolPart } from '@longhaul/protocol';
import { CallRegister, type Draft, type OpenCall } from './call-register.ts';
import { type CallFacts, present, type ResultFacts, type StepFacts, type UserFacts } from './facts.ts';
import { compactJson } from './json-fields.ts';
import { contentSize, filePart, partSize, partTokens, textOf } from './part-text.ts';
import { RecentKeys } from './recent-keys.ts';
import type { ReportDraft } from './report.ts';
import type { StableIds } from './stable-id.ts';

/** A message waits for missing results until this many messages or characters follow it. */
const MAX_HELD_MESSAGES = 64;
const MAX_HELD_CHARS = 16_000_000;

/**
 * Builds messages from the content that importers read, in order. Rows with the same key are one step, a result is
 * stored in the part of its call, and call ids are unique in a session. A message closes when the next message has
 * started and all its calls have results, or when too many messages or characters follow it. A result that comes later
 * becomes its own message.
 */
export class SessionBuilder {
  readonly report: ReportDraft;
  readonly #ids: StableIds;
  readonly #held: (Draft | RecordedSummary)[] = [];
  readonly #released: Message[] = [];
  readonly #calls = new CallRegister();
  readonly #countedUsage = new RecentKeys(4096);
  #heldChars = 0;
  #step: Draft | undefined;
  #sequence = 0;
  #latestInstant: number;

  constructor(report: ReportDraft, ids: StableIds, createdAt: number) {
    this.report = report;
    this.#ids = ids;
    this.#latestInstant = createdAt;
  }

  /** Adds a user message, from the user or from the agent's runtime. Ends the current step. */
  user(parts: Part[], facts: UserFacts = {}): void {
    const shown = facts.isInjected === true ? parts.map(asNotice) : parts;
    if (shown.length === 0) {
      this.report.skip('user messages without content');
      return;
    }
    const synthetic: MessageMetadata = facts.isInjected === true ? { synthetic: 'injected' } : {};
    const metadata = { ...facts.metadata, ...synthetic };
    const draft = this.#begin('user', undefined, facts.createdAt);
    if (Object.keys(metadata).length > 0) draft.message.metadata = metadata;
    this.#step = undefined;
    for (const part of shown) this.#add(draft, part);
  }

  /** Starts a step, or continues the step with this key. Without a key, the step is always new. */
  step(key: string | undefined, facts: StepFacts = {}): void {
    const current = this.#step;
    const isSame = key !== undefined && current?.key === key && current.chars < MAX_HELD_CHARS;
    const draft = isSame ? current : (this.#findHeld(key) ?? this.#begin('assistant', key, facts.createdAt));
    this.#step = draft;
    this.#describe(draft, facts);
  }

  /** Whether a step is open, so that a row without an id can be added to it. */
  get isInStep(): boolean {
    return this.#step !== undefined;
  }

  describeStep(facts: StepFacts): void {
    if (this.#step !== undefined) this.#describe(this.#step, facts);
  }

  /** Ends the current step. The next assistant row starts a new one. */
  endStep(): void {
    this.#step = undefined;
  }

  text(text: string, providerMetadata?: ProviderMetadata): void {
    if (text === '') return;
    this.#add(this.#current(), { type: 'text', text, state: 'done', ...present({ providerMetadata }) });
  }

  reasoning(text: string, providerMetadata?: ProviderMetadata): void {
    if (text === '' && providerMetadata === undefined) return;
    this.#add(this.#current(), { type: 'reasoning', text, state: 'done', ...present({ providerMetadata }) });
  }

  /** Adds a part that is neither text nor a call to the step. */
  part(part: Part): void {
    this.#add(this.#current(), part);
  }

  call(id: string, facts: CallFacts): void {
    const draft = this.#current();
    const { input, ...rest } = facts;
    const text = compactJson(input);
    if (text === undefined) this.report.skip('arguments of calls that are nested too deep');
    if (this.#calls.isRepeated(id, draft, { name: facts.name, arguments: text })) {
      this.report.skip('duplicate calls');
      return;
    }
    const part: ToolPart = {
      type: 'tool',
      callId: this.#calls.uniqueId(id),
      ...present(rest),
      name: facts.name,
      input: text === undefined ? {} : input,
      state: 'interrupted',
    };
    this.#calls.open(id, { part, draft });
    this.#add(draft, part);
  }

  result(id: string, facts: ResultFacts): void {
    const open = this.#calls.take(id);
    if (open !== undefined) this.#answer(open, facts);
    else if (this.#calls.wasAnswered(id)) this.report.skip('second results of a call');
    else this.#orphan(id, facts);
  }

  /** Adds the result of the oldest open call, for formats without call ids. Returns false if no call is open. */
  resultOfOldestCall(facts: ResultFacts): boolean {
    const open = this.#calls.takeOldest();
    if (open !== undefined) this.#answer(open, facts);
    return open !== undefined;
  }

  /** Records a compaction by the recorded agent. `summary` replaced the earlier messages for its model. */
  compaction(
    summary: string,
    facts: {
      tokensBefore?: number | undefined;
      createdAt?: number | undefined;
      view?: string | undefined;
    } = {},
  ): void {
    this.#held.push({ summary, ...present({ tokensBefore: facts.tokensBefore, view: facts.view }) });
    this.#step = undefined;
    if (summary === '') return;
    const notice: Part = { type: 'notice', text: summary, forModel: true };
    this.user([notice], {
      createdAt: facts.createdAt,
      isInjected: true,
      metadata: { isCompactSummary: true },
    });
  }

  /**
   * Adds a complete message of a Longhaul export. It keeps its id, and gets a new sequence.
   *
   * @returns Its sequence, or undefined if it has no parts.
   */
  whole(message: Message): number | undefined {
    const parts = message.parts.map((part) =>
      part.type === 'tool' ? { ...part, callId: this.#calls.uniqueId(part.callId) } : part,
    );
    const draft: Draft = { message: { ...message, parts }, key: undefined, openCalls: 0, chars: 0 };
    draft.message.sessionId = this.#ids.sessionId;
    this.#held.push(draft);
    return parts.length === 0 ? undefined : this.#sequence + this.#held.length;
  }

  /**
   * Releases closed messages. Call it between rows, so that the result does not depend on how the file is split into
   * pieces.
   */
  settle(): void {
    this.#release(false);
  }

  /** Returns the messages that were released since the last call. */
  take(): Message[] {
    return this.#released.splice(0);
  }

  end(): Message[] {
    this.#step = undefined;
    this.#release(true);
    return this.take();
  }

  #begin(role: Message['role'], key: string | undefined, createdAt: number | undefined): Draft {
    this.#latestInstant = createdAt ?? this.#latestInstant;
    const message: Message = {
      id: '',
      sessionId: this.#ids.sessionId,
      sequence: 0,
      role,
      parts: [],
      status: 'done',
      createdAt: this.#latestInstant,
      tokenCount: 0,
    };
    const draft = { message, key, openCalls: 0, chars: 0 };
    this.#held.push(draft);
    return draft;
  }

  #current(): Draft {
    this.#step ??= this.#begin('assistant', undefined, undefined);
    return this.#step;
  }

  #findHeld(key: string | undefined): Draft | undefined {
    if (key === undefined) return undefined;
    return this.#held.find(
      (held): held is Draft => 'message' in held && held.key === key && held.chars < MAX_HELD_CHARS,
    );
  }

  #describe(draft: Draft, facts: StepFacts): void {
    const { createdAt: _, usage, ...rest } = facts;
    Object.assign(draft.message, present(rest));
    if (usage === undefined) return;
    // Each row of a response has its usage. After its message is released, a later row must not count it again.
    if (draft.key !== undefined && draft.message.usage === undefined && this.#countedUsage.has(draft.key))
      return;
    if (draft.key !== undefined) this.#countedUsage.add(draft.key);
    draft.message.usage = usage;
  }

  #add(draft: Draft, part: Part): void {
    draft.message.parts.push(part);
    this.#grow(draft, partSize(part));
  }

  #grow(draft: Draft, chars: number): void {
    draft.chars += chars;
    this.#heldChars += chars;
  }

  #answer({ part, draft }: OpenCall, facts: ResultFacts): void {
    const { output, isError, metadata, ...rest } = facts;
    Object.assign(part, present(rest));
    if (metadata !== undefined) part.metadata = { ...part.metadata, ...metadata };
    part.state = isError === true ? 'error' : 'completed';
    part.output = output;
    if (isError === true) part.error = textOf(output);
    this.#grow(draft, contentSize(output));
  }

  /** Keeps a result without its call as a notice that the model sees. */
  #orphan(id: string, facts: ResultFacts): void {
    this.report.skip('results without their call: kept as notices');
    const text = `[Result of the call ${id}, which is not in the recording]\n${textOf(facts.output)}`;
    const draft = this.#begin('user', undefined, facts.endedAt);
    draft.message.metadata = { synthetic: 'injected', orphanResult: id };
    this.#add(draft, { type: 'notice', text, forModel: true });
    for (const content of facts.output) {
      if (content.type !== 'text') this.#add(draft, filePart(content));
    }
  }

  #release(isEnd: boolean): void {
    for (let head = this.#held[0]; head !== undefined; head = this.#held[0]) {
      if (!('message' in head)) {
        this.report.report.compactions.push({ afterSequence: this.#sequence, ...head });
        this.#held.shift();
        continue;
      }
      const isOver = this.#held.length > MAX_HELD_MESSAGES || this.#heldChars > MAX_HELD_CHARS;
      const isClosed = head !== this.#step && head.openCalls === 0;
      if (!isEnd && !isClosed && !(isOver && head !== this.#step)) break;
      this.#held.shift();
      this.#heldChars -= head.chars;
      const message = this.#close(head);
      if (message !== undefined) this.#released.push(message);
    }
  }

  #close(draft: Draft): Message | undefined {
    const { message } = draft;
    this.#calls.giveUp(draft);
    if (message.parts.length === 0) {
      this.report.skip('answers without content');
      return undefined;
    }
    this.#sequence += 1;
    message.sequence = this.#sequence;
    if (message.id === '') message.id = this.#ids.messageId(this.#sequence, message.createdAt);
    message.tokenCount = message.parts.reduce((sum, part) => sum + partTokens(part), 0);
    this.report.message(message);
    return message;
  }
}

interface RecordedSummary {
  summary: string;
  tokensBefore?: number;
  view?: string;
}

function asNotice(part: Part): Part {
  return part.type === 'text' ? { type: 'notice', text: part.text, forModel: true } : part;
}
