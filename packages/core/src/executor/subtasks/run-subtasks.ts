import {
  childPlaceOf,
  LonghaulError,
  type LonghaulEvent,
  type Session,
  type SubtaskState,
  suggestion,
  toLonghaulError,
} from '@longhaul/protocol';
import type {
  Store,
  SubtaskCall,
  SubtaskOutcome,
  SubtaskRequest,
  SubtaskSettings,
  Subtasks,
} from '../../ports/index.ts';
import type { EventHub } from '../../session/events/event-hub.ts';
import type { SessionCopies } from '../../session/files/session-copies.ts';
import { cancelled, interrupted, interruptionOf } from '../../session/runs/interruption.ts';
import type { ExecutorResult } from '../../session/runs/run-result.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { childFacts } from '../../session/subtasks/child-facts.ts';
import { type ChildSessions, placeOfNewChild } from '../../session/subtasks/child-sessions.ts';
import type { FamilyLink } from '../../session/subtasks/families.ts';
import { undeliveredChildren } from '../../session/subtasks/undelivered-children.ts';
import { describeOutcome } from '../../tool-output/index.ts';
import { ChildCopies } from './child-copies.ts';
import { ChildWatch } from './child-watch.ts';
import { Places } from './places.ts';

/** What a runtime provides for the children of one run. */
export interface SubtaskHost {
  session: Session;
  settings: SubtaskSettings;
  children: ChildSessions;
  store: Store;
  copies: SessionCopies;
  hub: EventHub;
  /** @throws {LonghaulError} if no session can have this model. */
  checkModel: (model: string) => Promise<unknown>;
}

export interface RunSubtasksOptions extends SubtaskHost {
  writer: SessionWriter;
  link: FamilyLink;
  /** Names of the tools that the parent's model can call now. */
  toolNames: () => readonly string[];
  /** Cancels or interrupts the run. At its time limit the run stops its children by `stop`, and the next run continues them. */
  cancelSignal: AbortSignal;
}

/** Where a call is in the log. */
export interface CallPlace {
  messageId: string;
  partIndex: number;
  callId: string;
  handle: string;
}

/** The child sessions of one run. */
export class RunSubtasks {
  readonly #options: RunSubtasksOptions;
  readonly #places: Places;
  readonly #copies: ChildCopies;
  /** The children in the background: each resolves when its result is in the queue, or when it has stopped. */
  readonly #background = new Map<string, Promise<void>>();
  /** Ends the children in the background with the run. */
  readonly #ending = new AbortController();
  #hasWorked = false;
  #failure: LonghaulError | undefined;

  constructor(options: RunSubtasksOptions) {
    this.#options = options;
    this.#places = new Places(options.settings.atOnce);
    this.#copies = new ChildCopies(options);
  }

  /** The children of one call of the model. */
  at(place: CallPlace): Subtasks {
    const { messageId, partIndex } = place;
    return {
      run: (request, call) => this.#run(request, call, place),
      merge: (request) => this.#copies.merge(request, `${messageId}:${partIndex}`),
      discard: (handle) => this.#copies.discard(handle),
    };
  }

  /** Continues the children in the background that an earlier run has left. */
  async continueBackground(): Promise<void> {
    const { store, session } = this.#options;
    for (const child of await undeliveredChildren(store, session.id)) {
      const handle = childPlaceOf(child)?.handle ?? '';
      this.#runInBackground(child, { prompt: child.task, handle, callId: child.parentCallId ?? '' });
    }
  }

  /** Returns whether a child in the background has worked since the last call. */
  takeWorked(): boolean {
    const hasWorked = this.#hasWorked || this.areRunning;
    this.#hasWorked = this.areRunning;
    return hasWorked;
  }

  /** Whether a child in the background has not delivered its result. */
  get areRunning(): boolean {
    return this.#background.size > 0;
  }

  /**
   * Resolves when a child in the background has delivered its result, when any message waits, or when the signal aborts.
   *
   * @throws The error of a child that could not be continued.
   */
  async nextResult(signal: AbortSignal, isMessageWaiting: () => Promise<boolean>): Promise<void> {
    const { hub, session } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = hub.subscribe((event) => {
      if (event.sessionId === session.id && event.type === 'message:queued') resolve();
    });
    signal.addEventListener('abort', () => resolve(), { once: true });
    try {
      if (!signal.aborted && !(await isMessageWaiting()))
        await Promise.race([promise, ...this.#background.values()]);
    } finally {
      unsubscribe();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stops the children in the background. The next run continues them, unless this one was cancelled. */
  async stop({ isCancelled }: { isCancelled: boolean }): Promise<void> {
    this.#ending.abort(isCancelled ? cancelled() : interrupted());
    await Promise.all(this.#background.values());
  }

  async #run(request: SubtaskRequest, call: SubtaskCall, place: CallPlace): Promise<SubtaskOutcome> {
    const { session, writer, children, settings, toolNames } = this.#options;
    const { agent, model } = this.#agentFor(request);
    await this.#options.checkModel(model);
    const { prompt, isBackground, files } = request;
    const { handle, callId } = place;
    const { maxDepth } = settings;
    const { child, isNew } = await children.begin({
      ...place,
      parent: session,
      prompt,
      agent,
      model,
      place: placeOfNewChild(session, { handle, isBackground, tools: [...toolNames()], files, maxDepth }),
    });
    if (isNew) {
      const started = { childId: child.id, callId, handle, agent, title: child.title };
      await writer.announce({ type: 'subtask:started', ...started, ...(isBackground && { isBackground }) });
    }
    if (!isBackground) return await this.#drive(child, { ...place, ...call, prompt, isBackground });
    this.#runInBackground(child, { prompt, handle, callId });
    const facts = { sessionId: child.id, agent, state: 'running' as const, isBackground };
    return { facts, text: '', files: [], failedCommands: [] };
  }

  #agentFor({ agent: name, model }: SubtaskRequest): { agent: string; model: string } {
    const { agents } = this.#options.settings;
    const agent = name === undefined ? agents[0] : agents.find((each) => each.name === name);
    if (agent === undefined) {
      const names = agents.map((each) => each.name);
      throw new LonghaulError(
        'unknown_agent',
        `No agent for tasks is called "${(name ?? '').slice(0, 100)}".${suggestion(name ?? '', names)} There are: ${names.join(', ')}.`,
      );
    }
    return { agent: agent.name, model: model ?? agent.model ?? this.#options.session.model };
  }

  #runInBackground(child: Session, call: { prompt: string; handle: string; callId: string }): void {
    if (this.#background.has(child.id)) return;
    const { children } = this.#options;
    this.#hasWorked = true;
    const signal = AbortSignal.any([this.#options.cancelSignal, this.#ending.signal]);
    const work = async () => {
      const outcome = await this.#drive(child, { ...call, signal, isBackground: true });
      // Whoever cancelled the run does not wait for results. The next run reports them.
      if (signal.aborted) return;
      await children.deliver(child, describeOutcome(outcome, call.handle));
    };
    const ended = work()
      .catch((thrown: unknown) => {
        if (!signal.aborted) this.#failure = toLonghaulError(thrown);
      })
      .finally(() => this.#background.delete(child.id));
    this.#background.set(child.id, ended);
  }

  /** Runs a child to its end. @throws {LonghaulError} `interrupted` if the program stops. */
  async #drive(
    child: Session,
    call: Partial<SubtaskCall> & {
      prompt: string;
      handle: string;
      callId: string;
      signal: AbortSignal;
      isBackground: boolean;
    },
  ): Promise<SubtaskOutcome> {
    const { writer, hub, store, children, link } = this.#options;
    const { callId, handle, signal, isBackground } = call;
    const agent = agentOf(child);
    const watch = new ChildWatch({
      sessionId: child.id,
      agent,
      state: this.#places.areTaken ? 'waiting' : 'running',
      ...(isBackground && { isBackground }),
    });
    const report = () => {
      call.progress?.(watch.facts);
      writer.emitTransient({ type: 'subtask:progress', callId, handle, facts: watch.facts });
    };
    const end = async (result: EndOfChild): Promise<SubtaskOutcome> => {
      const facts = watch.enter(result.state);
      await writer.announce({ type: 'subtask:finished', callId, handle, facts });
      const ownFiles = await this.#copies.changesOf(child);
      const { text, problem } = result;
      return { facts, text, problem, ownFiles, ...(await childFacts(store, child.id)) };
    };
    report();
    const unsubscribe = hub.subscribe((event) => {
      if (event.sessionId !== child.id) return;
      if (watch.take(event)) report();
      this.#forward(event, { child, handle });
    });
    try {
      using _place = await this.#places.take(signal);
      watch.enter('running');
      report();
      return await end(endOf(await children.drive(child, call.prompt, { link, signal })));
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      if (error.code === 'interrupted' || interruptionOf(signal) !== undefined) throw thrown;
      if (!signal.aborted && error.code !== 'cancelled')
        return await end({ state: 'failed', text: '', problem: error.message });
      // Also if it was cancelled elsewhere: whoever cancelled it may have died before the end.
      await children.abandon(child);
      const problem = signal.aborted
        ? 'the run that waits for it was cancelled, or its time is over.'
        : error.message;
      return await end({ state: 'cancelled', text: '', problem });
    } finally {
      unsubscribe();
    }
  }

  /** Reports in the parent's stream what a child, or its own child, asks a person. */
  #forward(event: LonghaulEvent, { child, handle }: { child: Session; handle: string }): void {
    if (event.type !== 'approval:requested' && event.type !== 'approval:answered') return;
    const { sessionId: _id, at: _at, number: _number, ...payload } = event;
    const asks = { sessionId: child.id, agent: agentOf(child), title: child.title };
    const asked = { ...payload, handle: `${handle}/${event.handle}`, child: event.child ?? asks };
    // A store that fails ends the run by itself, and the list of requests has this one.
    this.#options.writer.announce(asked).catch(() => undefined);
  }
}

interface EndOfChild {
  state: SubtaskState;
  text: string;
  problem?: string | undefined;
}

function agentOf({ metadata }: Session): string {
  return String(metadata?.['agent'] ?? '');
}

function endOf({ status, text, error }: ExecutorResult): EndOfChild {
  return { state: status, text, problem: status === 'completed' ? undefined : (error?.message ?? status) };
}
