import type {
  ContentBlock,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import { currentOwner, drivingRun, newId } from '@longhaul/core';
import {
  type EventOf,
  type LonghaulEvent,
  type Session,
  type Summary,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';
import { PermissionAsker } from '../approvals/permission-asker.ts';
import type { ClientLink } from '../client-link.ts';
import { contentOf } from '../prompt/prompt-content.ts';
import { stopReasonOf } from '../prompt/stop-reason.ts';
import { Turn } from '../prompt/turn.ts';
import { type TypedCommand, typedCommand } from '../prompt/typed-command.ts';
import { EventTranslator } from '../updates/event-translator.ts';
import { remark } from '../updates/text-chunk.ts';
import { fenced } from '../updates/tool-content.ts';
import { changed } from './session-settings.ts';

/** What a session needs of the connection. */
export type SessionConnection = Pick<ClientLink, 'features' | 'outbox' | 'requestPermission' | 'log'>;

/** Fields of a session, stored or not. */
export type SessionFields = Pick<Session, 'id' | 'model' | 'workspace' | 'title' | 'metadata'>;

/** A session that the client has open on this connection. */
export class OpenSession {
  readonly id: string;
  readonly workspace: AcpWorkspace;
  /** The session's folder as the client named it: it may lead through links. */
  readonly folder: string;
  readonly translator: EventTranslator;
  readonly #connection: SessionConnection;
  readonly #asker: PermissionAsker;
  readonly #turns = new Set<Turn>();
  #fields: SessionFields;
  /** A session is stored with its first prompt, so that an editor's unused ones leave nothing. */
  #isStored: boolean;
  /** Events are converted in their order, also where one of them needs the store. */
  #converting: Promise<void> = Promise.resolve();

  constructor(
    fields: SessionFields,
    options: { isStored: boolean; folder: string; workspace: AcpWorkspace; connection: SessionConnection },
  ) {
    const { isStored, folder, workspace, connection } = options;
    this.id = fields.id;
    this.#fields = fields;
    this.#isStored = isStored;
    this.workspace = workspace;
    this.folder = folder;
    this.#connection = connection;
    const { features } = connection;
    this.translator = new EventTranslator({ features, folder, newId });
    this.#asker = new PermissionAsker({
      sessionId: fields.id,
      folder,
      workspace,
      request: (question, signal) => this.#requestPermission(question, signal),
      toolCallIdOf: (callId) => this.translator.ids.find(callId) ?? callId,
      onCancelled: () => this.#inBackground(this.cancel()),
      log: connection.log,
    });
  }

  get fields(): SessionFields {
    return this.#fields;
  }

  get isStored(): boolean {
    return this.#isStored;
  }

  send(updates: readonly SessionUpdate[]): void {
    this.#connection.outbox.push(this.id, updates);
  }

  /**
   * Sends a prompt and waits until its turn has ended. During a turn, the prompt is queued for the turn's next step, and
   * both prompts end with the turn.
   *
   * @throws {LonghaulError} The failure of the turn.
   */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const turn = new Turn(newId());
    this.#turns.add(turn);
    const onAbort = () => this.#inBackground(this.#cancelTurns([turn]));
    signal.addEventListener('abort', onAbort);
    try {
      return await this.#answer(turn, contentOf(blocks, this.folder));
    } catch (error) {
      if (turn.isCancelled || toLonghaulError(error).code === 'cancelled') return 'cancelled';
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#turns.delete(turn);
      await this.settled();
    }
  }

  /** Stops what works for the session. All its prompts end as `cancelled`. */
  async cancel(): Promise<void> {
    await this.#cancelTurns([...this.#turns]);
  }

  /** Changes a setting. @throws as `changed` */
  async set(option: string, value: string): Promise<void> {
    const { model, agent } = await changed(option, value, this.workspace);
    const { metadata } = this.#fields;
    this.#fields = {
      ...this.#fields,
      model: model ?? this.#fields.model,
      metadata: agent === undefined ? metadata : { ...metadata, agent },
    };
    if (!this.#isStored) return;
    await this.workspace.store.updateSession(this.id, {
      model,
      metadata: agent === undefined ? undefined : { agent },
    });
  }

  receive(event: LonghaulEvent): void {
    if (event.type === 'message:dequeued' || event.type === 'run:started') this.#noteStart(event);
    this.#converting = this.#converting
      .then(() => this.#convert(event))
      .catch((error: unknown) => {
        this.#connection.log(
          `An event of session ${this.id} was not shown: ${toLonghaulError(error).message}`,
        );
      });
  }

  /** Resolves when everything so far has been sent. */
  async settled(): Promise<void> {
    await this.#converting;
    await this.#connection.outbox.drained();
  }

  /** Ends the session on this connection. It stays in the store. */
  async close(): Promise<void> {
    await this.cancel();
    this.#asker.withdrawAll();
  }

  async #answer(turn: Turn, content: readonly UserMessageContentPart[]): Promise<StopReason> {
    const typed = typedCommand(content, await this.workspace.commands());
    if (typed === undefined) return await this.#send(turn, content);
    const outcome = await this.#run(typed, turn);
    if ('prompt' in outcome) return await this.#send(turn, [{ type: 'text', text: outcome.prompt }]);
    if (turn.isCancelled) return 'cancelled';
    this.send(remark(fenced(outcome.text.trimEnd())));
    return 'end_turn';
  }

  async #run({ command, words }: TypedCommand, { signal }: Turn): ReturnType<TypedCommand['command']['run']> {
    if (command.needsSession === true && !this.#isStored)
      return { text: `/${command.name} works on a session, and this one has no messages yet.` };
    return await command.run(words, { sessionId: this.id, title: this.#fields.title, signal });
  }

  async #send(turn: Turn, content: readonly UserMessageContentPart[]): Promise<StopReason> {
    const { runtime, models } = this.workspace;
    await this.#store(content);
    // A problem with the model is reported before the message is stored.
    await models.prepare(this.#fields.model);
    if (turn.isCancelled) return 'cancelled';
    try {
      return stopReasonOf(await runtime.sendAndWait(this.id, content, { id: turn.messageId }));
    } finally {
      // A prompt that has failed is not delivered later.
      if (!turn.isTaken) await runtime.queue.remove(this.id, turn.messageId);
    }
  }

  /** Stores a new session with the text of its first prompt as the task. */
  async #store(content: readonly UserMessageContentPart[]): Promise<void> {
    if (this.#isStored) return;
    const task = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    this.#isStored = true;
    try {
      const { title } = await this.workspace.runtime.createSession({
        ...this.#fields,
        title: undefined,
        task,
      });
      this.#fields = { ...this.#fields, title };
    } catch (error) {
      this.#isStored = false;
      throw error;
    }
    const { title } = this.#fields;
    this.send([{ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() }]);
  }

  async #cancelTurns(turns: readonly Turn[]): Promise<void> {
    for (const turn of turns) turn.cancel();
    this.#asker.withdrawAll();
    const { runtime, store } = this.workspace;
    if (!this.#isStored) return;
    const removed = await Promise.all(
      turns.map((turn) => !turn.isTaken && runtime.queue.remove(this.id, turn.messageId)),
    );
    const isForOthers = [...this.#turns].some((turn) => !turn.isCancelled);
    if (isForOthers && removed.every(Boolean)) return;
    const run = await drivingRun(store, this.id);
    if (run === undefined) return;
    const { host, pid } = currentOwner();
    const isOwn = run.owner.host === host && run.owner.pid === pid;
    // The run of another process continues, unless it works on a prompt of this client.
    if (isOwn || turns.some((turn) => turn.isTaken)) await runtime.cancel(this.id);
  }

  /** Notes which prompts a run works on. A cancel that came before the run stops it now. */
  #noteStart(event: EventOf<'message:dequeued' | 'run:started'>): void {
    if (event.type === 'run:started') this.#inBackground(this.#askOpen());
    const ids = event.type === 'message:dequeued' ? event.ids : [];
    const taken = [...this.#turns].filter(({ messageId }) => ids.includes(messageId));
    for (const turn of taken) turn.isTaken = true;
    if (taken.some((turn) => turn.isCancelled)) this.#inBackground(this.workspace.runtime.cancel(this.id));
  }

  /** Asks about calls that wait since an earlier run: their requests are not reported again. */
  async #askOpen(): Promise<void> {
    for (const approval of await this.workspace.runtime.approvals.list(this.id, { open: true })) {
      this.#asker.ask(approval);
    }
  }

  async #convert(event: LonghaulEvent): Promise<void> {
    const summary = event.type === 'context:compressed' ? await this.#summaryOf(event) : undefined;
    this.send(this.translator.push(event, summary));
    if (event.type === 'approval:requested') this.#asker.ask(event);
    if (event.type === 'approval:answered') this.#asker.withdraw(event.handle);
    if (event.type === 'run:finished') this.#asker.withdrawAll();
  }

  async #summaryOf({ round }: EventOf<'context:compressed'>): Promise<Summary | undefined> {
    const { marks } = await this.workspace.store.readMarks(this.id);
    const made = marks.findLast((mark) => mark.kind === 'compaction' && mark.round === round);
    return made?.kind === 'compaction' ? made.summary : undefined;
  }

  /** Asks after the call is shown. */
  async #requestPermission(
    question: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    await this.settled();
    return await this.#connection.requestPermission(question, signal);
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#connection.log(toLonghaulError(error).message));
  }
}
