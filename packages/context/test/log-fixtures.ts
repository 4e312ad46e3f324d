import type {
  JsonObject,
  Mark,
  Message,
  MessageMetadata,
  Part,
  ToolOutputContent,
  ToolPart,
  ToolState,
} from '@longhaul/protocol';
import {
  type CompactOptions,
  type CompactOutcome,
  type ContextLog,
  compact,
  computeBudget,
  createRequestMeter,
} from '../src/engine.ts';
import { countByClasses, memoizeCounter, ReactiveOverflowStrategy } from '../src/index.ts';

export interface CallSpec {
  input?: JsonObject;
  output?: string | ToolOutputContent[];
  state?: ToolState;
  metadata?: JsonObject;
  truncated?: boolean;
}

/** A call as the executor stores it. */
export function call(name: string, spec: CallSpec = {}): ToolPart {
  const { output = '' } = spec;
  const state = spec.state ?? 'completed';
  const content = typeof output === 'string' ? [{ type: 'text' as const, text: output }] : output;
  const isOpen = state === 'pending' || state === 'running';
  return {
    type: 'tool',
    callId: `call-${name}-${JSON.stringify(spec.input ?? {}).slice(0, 40)}`,
    name,
    input: spec.input ?? {},
    state,
    output: isOpen ? undefined : content,
    error: state === 'error' && typeof output === 'string' ? output.slice(0, 2_000) : undefined,
    metadata: spec.metadata,
    truncated: spec.truncated === true ? true : undefined,
  };
}

export function text(content: string): Part {
  return { type: 'text', text: content, state: 'done' };
}

/** Builds a session's log, and numbers messages as the store does. */
export class LogBuilder {
  readonly messages: Message[] = [];
  readonly marks: Mark[] = [];

  user(content: string | Part[], metadata?: MessageMetadata): this {
    const parts = typeof content === 'string' ? [text(content)] : content;
    return this.#add('user', parts, { metadata });
  }

  step(...parts: (Part | string)[]): this {
    const made = parts.map((part) => (typeof part === 'string' ? text(part) : part));
    return this.#add('assistant', made, { model: 'test/model', finishReason: 'tool-calls' });
  }

  mark(mark: Mark): this {
    this.marks.push(mark);
    return this;
  }

  get log(): ContextLog {
    return { messages: this.messages, marks: this.marks };
  }

  #add(role: 'user' | 'assistant', parts: Part[], rest: Partial<Message>): this {
    const sequence = this.messages.length + 1;
    this.messages.push({
      id: `id-${String(sequence).padStart(5, '0')}`,
      sessionId: 'session',
      sequence,
      role,
      parts,
      status: 'done',
      createdAt: sequence,
      tokenCount: 0,
      ...rest,
    });
    return this;
  }
}

/** Sessions of tests grow message by message: each text is counted once. */
const count = memoizeCounter(countByClasses);

export interface CompactSettings extends Partial<CompactOptions> {
  windowTokens?: number;
  maxOutputTokens?: number;
  fixedTokens?: number;
}

export function compactOptions(log: ContextLog, settings: CompactSettings = {}): CompactOptions {
  const { windowTokens = 16_000, maxOutputTokens = 4_000, fixedTokens = 1_500, ...rest } = settings;
  let ids = 0;
  return {
    log,
    budget: computeBudget({ windowTokens, maxOutputTokens, fixedTokens }),
    meter: createRequestMeter(count),
    strategy: new ReactiveOverflowStrategy(),
    reason: 'threshold',
    count,
    ledgerShare: 0.2,
    newId: () => {
      ids += 1;
      return `made-${ids}`;
    },
    now: 1_000,
    ...rest,
  };
}

export function compactLog(log: ContextLog, settings: CompactSettings = {}): Promise<CompactOutcome> {
  return compact(compactOptions(log, settings));
}

type Compacted = Extract<CompactOutcome, { status: 'compacted' }>;

export function expectCompacted(outcome: CompactOutcome): Compacted {
  if (outcome.status !== 'compacted') throw outcome.error;
  return outcome;
}

/** The log after the compaction is stored. */
export function withCompaction(log: ContextLog, { compaction, marks }: Compacted): ContextLog {
  return {
    messages: log.messages,
    marks: [...log.marks, { kind: 'compaction', sessionId: 'session', ...compaction }, ...marks],
  };
}

/** Lines like those of source code. The same seed gives the same lines. */
export function code(lines: number, seed = 0): string {
  return Array.from(
    { length: lines },
    (_, index) =>
      `export function handler${seed}_${index}(request, response) { return response.send(${index * 7}); }`,
  ).join('\n');
}
