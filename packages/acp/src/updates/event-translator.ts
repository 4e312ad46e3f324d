import type { SessionUpdate } from '@agentclientprotocol/sdk';
import {
  type EventOf,
  type JsonObject,
  type JsonValue,
  type LonghaulEvent,
  type SubtaskFacts,
  type Summary,
  subtaskOf,
  visibleLine,
} from '@longhaul/protocol';
import type { ClientFeatures } from '../client-features.ts';
import { CallIds } from './call-ids.ts';
import { CompactionUpdates } from './compaction-updates.ts';
import { noticeOf } from './event-notice.ts';
import { diffsOf } from './file-diffs.ts';
import { StreamedText } from './streamed-text.ts';
import { titleUpdate } from './title-update.ts';
import { planOf } from './todo-plan.ts';
import { fenced, liveContent, outputContent, rawInputOf, textContent } from './tool-content.ts';
import { kindOf, locationsOf, titleOf } from './tool-facts.ts';

export interface EventTranslatorOptions {
  features: ClientFeatures;
  /** The session's folder on this machine. */
  folder: string;
  newId: () => string;
}

/** What the store knows beside an event. */
export interface StoredFacts {
  /** That of the compaction, for `context:compressed`. */
  summary?: Summary | undefined;
  /** The ids of calls that wait for approval, for `run:repaired`: the run continues them. */
  waiting?: ReadonlySet<string> | undefined;
}

/** A call without a result. */
interface OpenCall {
  toolName: string;
  args: JsonValue;
}

/** Converts the events of a session to updates of the protocol. It has state but no side effects. */
export class EventTranslator {
  readonly ids = new CallIds();
  /** US dollars that the session has cost so far. */
  costUsd = 0;
  readonly #options: EventTranslatorOptions;
  readonly #text = new StreamedText();
  readonly #compaction: CompactionUpdates;
  readonly #calls = new Map<string, OpenCall>();
  #usage: { used: number; size: number } | undefined;

  constructor(options: EventTranslatorOptions) {
    this.#options = options;
    this.#compaction = new CompactionUpdates(options.features, options.newId);
  }

  push(event: LonghaulEvent, { summary, waiting }: StoredFacts = {}): SessionUpdate[] {
    switch (event.type) {
      case 'llm:thinking':
        this.#text.begin();
        return this.#compaction.end('cancelled');
      case 'llm:chunk':
        return this.#text.chunk(event);
      case 'llm:tool-call':
        return this.#call(event);
      case 'llm:response':
        return this.#response(event);
      case 'llm:error':
        return [...this.#text.answer(event), ...this.#droppedCalls()];
      case 'llm:tool-progress':
        return this.#progress(event);
      case 'llm:tool-result':
        return this.#result(event);
      case 'approval:requested':
        return this.#status(event.callId, 'pending');
      case 'approval:answered':
        return event.allowed ? this.#status(event.callId, 'in_progress') : [];
      case 'context:usage':
        this.#usage = { used: event.tokens, size: event.windowTokens };
        return this.#used();
      case 'session:status':
        if (event.status === 'compacting') return this.#compaction.begin();
        // A compaction between runs that changed nothing.
        return event.status === 'idle' ? this.#compaction.end('cancelled') : [];
      case 'context:compressed':
        return this.#compaction.done(event, summary);
      case 'session:titled':
        return [titleUpdate(event)];
      case 'run:finished':
        return this.#finished(event);
      case 'run:repaired':
        return [...this.#droppedCalls(waiting), ...noticeOf(event, this.#options.features)];
      default:
        return noticeOf(event, this.#options.features);
    }
  }

  #call({ callId, toolName, args }: EventOf<'llm:tool-call'>): SessionUpdate[] {
    this.#calls.set(callId, { toolName, args });
    // The plan shows the list. A call that fails is shown by its result.
    if (toolName === 'todo') return [];
    return [this.#shownCall(callId, { toolName, args })];
  }

  #shownCall(callId: string, { toolName, args }: OpenCall): SessionUpdate {
    return {
      sessionUpdate: 'tool_call',
      toolCallId: this.ids.begin(callId),
      title: titleOf(toolName, args),
      name: toolName,
      kind: kindOf(toolName),
      status: 'pending',
      locations: locationsOf(this.#options.folder, { args }),
      rawInput: rawInputOf(args),
    };
  }

  #response(event: EventOf<'llm:response'>): SessionUpdate[] {
    this.costUsd += event.cost ?? 0;
    const running = [...this.#calls.keys()].flatMap((callId) => this.#status(callId, 'in_progress'));
    return [...this.#text.answer(event), ...running, ...(event.cost === undefined ? [] : this.#used())];
  }

  #progress(event: EventOf<'llm:tool-progress'>): SessionUpdate[] {
    const toolCallId = this.ids.find(event.callId);
    if (toolCallId === undefined) return [];
    const content = liveContent(event);
    const subtask = subtaskOf(event);
    const child = subtask === undefined ? {} : childFacts(subtask, event.title);
    return [{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content, ...child }];
  }

  #result(event: EventOf<'llm:tool-result'>): SessionUpdate[] {
    const { callId, toolName, success, sanitized, metadata, title } = event;
    const call = this.#calls.get(callId) ?? { toolName, args: {} };
    this.#calls.delete(callId);
    const plan = success ? planOf(toolName, metadata) : undefined;
    if (plan !== undefined) return [plan];
    const isShown = this.ids.find(callId) !== undefined;
    const shown = isShown ? [] : [this.#shownCall(callId, call)];
    return [
      ...shown,
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: this.ids.end(callId) ?? callId,
        status: success ? 'completed' : 'failed',
        ...resultFacts(this.#options.folder, { ...call, success, output: sanitized, metadata, title }),
      },
    ];
  }

  #status(callId: string, status: 'pending' | 'in_progress'): SessionUpdate[] {
    const toolCallId = this.ids.find(callId);
    return toolCallId === undefined ? [] : [{ sessionUpdate: 'tool_call_update', toolCallId, status }];
  }

  /** Calls of an answer that broke off, or of a run that ended or died, get no result. */
  #droppedCalls(keeps?: ReadonlySet<string>): SessionUpdate[] {
    for (const callId of this.#calls.keys()) if (keeps?.has(callId) !== true) this.#calls.delete(callId);
    return this.ids
      .endAll(keeps)
      .map((toolCallId) => ({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }));
  }

  #used(): SessionUpdate[] {
    if (this.#usage === undefined) return [];
    const cost = this.costUsd === 0 ? undefined : { amount: this.costUsd, currency: 'USD' };
    return [{ sessionUpdate: 'usage_update', ...this.#usage, cost }];
  }

  #finished({ status, error }: EventOf<'run:finished'>): SessionUpdate[] {
    const outcome = status === 'cancelled' || status === 'completed' ? 'cancelled' : 'failed';
    return [...this.#compaction.end(outcome, error?.message), ...this.#droppedCalls()];
  }
}

/** What the child session of a call does now. */
function childFacts(facts: SubtaskFacts, title = facts.agent) {
  const { steps = 0, tokens = 0, contextPercent } = facts;
  const percent = contextPercent === undefined ? '' : `, ${contextPercent} % of its window`;
  const figures = `${facts.state}: ${steps} steps, ${tokens} tokens${percent}`;
  return {
    title: `task ${visibleLine(title)}`,
    content: [textContent(fenced(`${visibleLine(facts.title ?? facts.agent)}\n${figures}`))],
    _meta: { longhaul: { subtask: { ...facts } } },
  };
}

/** Returns what a finished call shows: the change of files, else the output. */
export function resultFacts(
  folder: string,
  call: OpenCall & {
    success: boolean;
    output: Parameters<typeof outputContent>[1];
    metadata: JsonObject | undefined;
    title: string | undefined;
  },
) {
  const { toolName, success, output, metadata, title } = call;
  const diffs = success ? diffsOf(folder, call) : [];
  const isCommand = toolName === 'bash' || title === undefined;
  return {
    ...(isCommand ? {} : { title: `${toolName} ${title}` }),
    content: diffs.length > 0 ? diffs : outputContent(toolName, output),
    locations: locationsOf(folder, call),
    rawOutput: metadata,
  };
}
