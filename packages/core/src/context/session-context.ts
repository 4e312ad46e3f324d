import { activeMarks, buildView, type CompressionStrategy } from '@longhaul/context/engine';
import {
  handleOf,
  LonghaulError,
  type Mark,
  type Message,
  type OmitMark,
  type PinMark,
  parseHandle,
  type Session,
  toLonghaulError,
} from '@longhaul/protocol';
import type { RequestedCompaction } from '../executor/window/context-window.ts';
import { ledgerSource } from '../executor/window/run-ledger.ts';
import type { Store } from '../ports/index.ts';
import { shownSchemas, shownTools } from '../ports/tool-set.ts';
import type { EventHub } from '../session/events/event-hub.ts';
import { newId } from '../session/ids.ts';
import { holdIdle } from '../session/leases/idle-lease.ts';
import type { RunRegistry } from '../session/runs/run-registry.ts';
import { busyWith, existingSession } from '../session/session-errors.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { requestCompaction, takeCompactionRequest } from './compaction-request.ts';
import { type ContextReport, contextReport, toPinned } from './context-report.ts';
import { measureSession, nextRequestTokens, type SessionMeasure } from './measure-session.ts';
import type { NextRequest } from './next-request.ts';
import type {
  CompactSessionOptions,
  CompactSessionResult,
  MeasureSessionOptions,
  PinResult,
  UndoResult,
} from './results.ts';
import { SessionCompactor, type SessionCompactorOptions } from './session-compactor.ts';

export interface SessionContextOptions extends SessionCompactorOptions {
  store: Store;
  hub: EventHub;
  /** Registers long work, so that it can be cancelled. */
  runs: RunRegistry;
  /** Returns a strategy by its name. @throws {LonghaulError} `config_invalid` */
  strategyFor?: (name: string, session: Session) => CompressionStrategy | Promise<CompressionStrategy>;
}

const MAX_FOCUS_CHARS = 2_000;

/** Reports a session's context, and changes it on a person's request: compactions, undo, pins. */
export class SessionContext {
  readonly #options: SessionContextOptions;
  readonly #compactor: SessionCompactor;

  constructor(options: SessionContextOptions) {
    this.#options = options;
    this.#compactor = new SessionCompactor(options);
  }

  /** Reports what fills the window. @throws {LonghaulError} `session_not_found` */
  async report(sessionId: string, options: MeasureSessionOptions = {}): Promise<ContextReport> {
    const { store, compressionFor, toolsFor } = this.#options;
    const view = await store.loadView(sessionId);
    const { marks: allMarks } = await store.readMarks(sessionId);
    const measure = await this.#measure(view.session, options);
    const { strategy, auto: isAutomatic } = compressionFor(view.session);
    const tools = shownTools(await toolsFor(view.session), view.session.model);
    return contextReport(view, { measure, strategy, isAutomatic, tools, allMarks });
  }

  /** Returns the next request. @throws {LonghaulError} `session_not_found` */
  async nextRequest(sessionId: string): Promise<NextRequest> {
    const { store, toolsFor, systemText } = this.#options;
    const view = await store.loadView(sessionId);
    const messages = buildView(view).map(({ message, source }) => ({
      message,
      ...(source !== undefined && { handle: handleOf(source.sequence) }),
    }));
    const tools = shownSchemas(await toolsFor(view.session), view.session.model);
    return { system: await systemText(view.session), tools, messages };
  }

  /**
   * Compacts the session, returns a preview, or queues a request for the current run.
   *
   * @throws {LonghaulError} `session_not_found`, `window_unknown`, `context_exhausted`, `cancelled`, `config_invalid`.
   */
  async compact(sessionId: string, options: CompactSessionOptions = {}): Promise<CompactSessionResult> {
    const { store, hub, runs } = this.#options;
    const { signal: callerSignal } = options;
    const session = await existingSession(store, sessionId);
    const strategy = await this.strategyOf(options.strategy, session);
    const measure = await this.#measure(session, options);
    const focus = options.focus?.trim().slice(0, MAX_FOCUS_CHARS) || undefined;
    const plan = { session, measure, strategy, focus };
    if (options.preview === true) {
      const view = await store.loadView(sessionId);
      return this.#compactor.preview(ledgerSource(store, view), plan);
    }
    try {
      return await holdIdle({ store, hub, session, runs, signal: callerSignal }, async (writer, signal) => {
        // This compaction also fulfils a pending request.
        await takeCompactionRequest(store, sessionId);
        return this.#compactor.compact(writer, plan, signal);
      });
    } catch (error) {
      if (toLonghaulError(error).code !== 'session_busy') throw error;
      const name = options.strategy === undefined ? {} : { strategy: options.strategy };
      await requestCompaction(store, session.id, {
        at: Date.now(),
        ...name,
        ...(focus !== undefined && { focus }),
      });
      return { status: 'queued' };
    }
  }

  /** Returns the strategy with this name, or the configured one. */
  async strategyOf(name: string | undefined, session: Session): Promise<CompressionStrategy> {
    const { compressionFor, strategyFor } = this.#options;
    const compression = compressionFor(session);
    if (name === undefined || name === compression.strategy.name) return compression.strategy;
    if (strategyFor !== undefined) return strategyFor(name, session);
    throw new LonghaulError('config_invalid', `There is no strategy "${name}".`);
  }

  /**
   * Undoes the newest compaction. The next automatic compaction then waits until the window is full. If content was
   * left out of requests after that compaction, because a server refused it, restores this content instead.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`.
   */
  async undo(sessionId: string): Promise<UndoResult> {
    return this.#hold(sessionId, 'undo the compaction', async (writer, session) => {
      const newest = newestUndoable(writer.log.marks);
      if (newest?.kind === 'omit') return this.#restore(writer, session, newest);
      const { compaction, hidden } = activeMarks(writer.log.marks);
      if (compaction === undefined) return { status: 'nothing' };
      await writer.undoCompaction(compaction);
      // The previous compaction is active again, so the view must be reloaded.
      const view = await this.#options.store.loadView(sessionId);
      const measure = await this.#measure(session, {});
      const tokens = nextRequestTokens(view, measure);
      const usableTokens = measure.budget?.usableTokens;
      return {
        status: 'undone',
        round: compaction.round,
        shown: hidden.size - activeMarks(view.marks).hidden.size,
        tokens,
        fits: usableTokens === undefined || tokens < usableTokens,
        usableTokens,
      };
    });
  }

  async #restore(writer: SessionWriter, session: Session, { refusalId }: OmitMark): Promise<UndoResult> {
    const { log } = writer;
    const restored = log.marks.filter((mark) => mark.kind === 'omit' && mark.refusalId === refusalId);
    await Promise.all(restored.map((mark) => writer.undoMark(mark.id)));
    const handles = restored.flatMap((mark) => {
      if (mark.kind !== 'omit') return [];
      const message = log.messages.find(({ id }) => id === mark.messageId);
      return message === undefined ? [] : [handleOf(message.sequence, mark.partIndex)];
    });
    const message = `Requests contain ${handles.join(', ')} again.`;
    await writer.announce({ type: 'context:warning', message });
    const tokens = nextRequestTokens(log, await this.#measure(session, {}));
    return { status: 'restored', handles, tokens };
  }

  /**
   * Keeps a message in every view from now on. A hidden message becomes visible at once.
   *
   * @param target A handle (`m12`, or `m12.3` for the message of that part) or a message id.
   * @throws {LonghaulError} `session_not_found`, `session_busy`, `not_found`.
   */
  async pin(sessionId: string, target: string): Promise<PinResult> {
    return this.#hold(sessionId, 'pin the message', async (writer) => {
      const message = await this.#find(writer, target);
      const { pinned, hidden } = activeMarks(writer.log.marks);
      const changed = !pinned.has(message.id);
      const mark: PinMark = { kind: 'pin', id: newId(), messageId: message.id, createdAt: Date.now() };
      if (changed) await writer.recordMarks([mark], []);
      return { ...toPinned(message), changed, wasHidden: hidden.has(message.id) };
    });
  }

  /** Allows compactions to hide the message again. Throws the errors of `pin`. */
  async unpin(sessionId: string, target: string): Promise<PinResult> {
    return this.#hold(sessionId, 'unpin the message', async (writer) => {
      const message = await this.#find(writer, target);
      const pins = writer.log.marks.filter(
        (mark) => mark.kind === 'pin' && mark.messageId === message.id && mark.undoneAt === undefined,
      );
      await Promise.all(pins.map((pin) => writer.undoMark(pin.id)));
      return { ...toPinned(message), changed: pins.length > 0, wasHidden: false };
    });
  }

  /** Returns the pending compaction request once, for the run of the session. */
  async takeRequest(sessionId: string): Promise<RequestedCompaction | undefined> {
    const request = await takeCompactionRequest(this.#options.store, sessionId);
    if (request === undefined) return undefined;
    const session = await existingSession(this.#options.store, sessionId);
    return { strategy: await this.strategyOf(request.strategy, session), focus: request.focus };
  }

  async #hold<T>(
    sessionId: string,
    what: string,
    work: (writer: SessionWriter, session: Session) => Promise<T>,
  ): Promise<T> {
    const { store, hub, runs } = this.#options;
    const session = await existingSession(store, sessionId);
    try {
      return await holdIdle({ store, hub, session, runs }, (writer) => work(writer, session));
    } catch (error) {
      throw busyWith(error, what);
    }
  }

  /**
   * Finds a message with its parts. Hidden messages have no parts in the loaded view, so they are read from the store.
   */
  async #find({ log, lease }: SessionWriter, target: string): Promise<Message> {
    const place = parseHandle(target);
    const named = log.messages.find((message) =>
      place === undefined ? message.id === target : message.sequence === place.sequence,
    );
    const message = named === undefined ? undefined : await this.#read(lease.sessionId, named);
    const hasPart = place?.partIndex === undefined || message?.parts[place.partIndex] !== undefined;
    if (message !== undefined && hasPart) return message;
    throw new LonghaulError(
      'not_found',
      `This session has no message "${target}". Its messages are m1 to m${log.messages.at(-1)?.sequence ?? 0}. \`longhaul show\` and /recall print handles.`,
    );
  }

  async #read(sessionId: string, { sequence }: Message): Promise<Message | undefined> {
    const range = { after: sequence - 1, limit: 1 };
    const { messages } = await this.#options.store.readMessages(sessionId, range);
    return messages[0];
  }

  async #measure(
    session: Session,
    { windowTokens, signal }: MeasureSessionOptions & Pick<CompactSessionOptions, 'signal'>,
  ): Promise<SessionMeasure> {
    const { store, toolsFor, systemText, driverFor } = this.#options;
    return measureSession(session, {
      store,
      systemText,
      windowTokens,
      tools: shownSchemas(await toolsFor(session), session.model),
      modelInfo: async () => (await driverFor(session.model, signal)).info,
    });
  }
}

/** The newest mark that a person can undo without naming it. */
function newestUndoable(marks: readonly Mark[]): Mark | undefined {
  return marks.findLast(
    ({ kind, undoneAt }) => undoneAt === undefined && (kind === 'compaction' || kind === 'omit'),
  );
}
