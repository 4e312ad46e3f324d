import type { ContentBlock, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import { type LonghaulEvent, toLonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';
import { PermissionAsker } from '../approvals/permission-asker.ts';
import type { ClientLink } from '../client-link.ts';
import { contentOf } from '../prompt/prompt-content.ts';
import { RunningTurns } from '../prompt/running-turns.ts';
import { stopReasonOf } from '../prompt/stop-reason.ts';
import type { Turn } from '../prompt/turn.ts';
import { type TypedCommand, typedCommand } from '../prompt/typed-command.ts';
import { problemOf } from '../request-error.ts';
import { EventFeed } from '../updates/event-feed.ts';
import { remark } from '../updates/text-chunk.ts';
import { fenced } from '../updates/tool-content.ts';
import { CommandsUpdate } from './commands-update.ts';
import { type SessionFields, SessionRecord } from './session-record.ts';
import { changed } from './session-settings.ts';

/** What a session needs of the connection. */
export type SessionLink = Pick<
  ClientLink,
  'features' | 'outbox' | 'requestPermission' | 'isConnected' | 'log'
>;

export interface OpenSessionOptions {
  workspace: AcpWorkspace;
  /** The session's folder as the client named it: it may lead through links. */
  folder: string;
  /** A session is stored with its first prompt, so that an editor's unused ones leave nothing. */
  isStored: boolean;
  link: SessionLink;
}

/** A session that the client has open on this connection. */
export class OpenSession {
  readonly id: string;
  readonly workspace: AcpWorkspace;
  readonly folder: string;
  readonly feed: EventFeed;
  readonly #link: SessionLink;
  readonly #asker: PermissionAsker;
  readonly #turns: RunningTurns;
  readonly #commands: CommandsUpdate;
  readonly #closed = new AbortController();
  readonly #record: SessionRecord;
  /** Settles when the last prompt so far is in the queue, or has failed. */
  #entered: Promise<unknown> = Promise.resolve();

  constructor(fields: SessionFields, { workspace, folder, isStored, link }: OpenSessionOptions) {
    const sessionId = fields.id;
    this.id = sessionId;
    this.workspace = workspace;
    this.folder = folder;
    this.#record = new SessionRecord(fields, { workspace, isStored });
    this.#link = link;
    this.#commands = new CommandsUpdate(sessionId, workspace);
    const { runtime, store } = workspace;
    const inBackground = (work: Promise<unknown>) => this.#inBackground(work);
    this.feed = new EventFeed({ sessionId, folder, store, link, onSent: (event) => this.#askAbout(event) });
    this.#turns = new RunningTurns({
      sessionId,
      runtime,
      store,
      stored: () => this.#record.stored,
      isConnected: () => link.isConnected,
      inBackground,
    });
    this.#asker = new PermissionAsker({
      sessionId,
      folder,
      workspace,
      async request(question, signal) {
        // The call must be shown before the question about it.
        await link.outbox.drained();
        return await link.requestPermission(question, signal);
      },
      toolCallIdOf: (callId) => this.feed.translator.ids.find(callId) ?? callId,
      onCancelled: () => inBackground(this.cancel()),
      isConnected: () => link.isConnected,
      log: link.log,
    });
  }

  get fields(): SessionFields {
    return this.#record.fields;
  }

  get isStored(): boolean {
    return this.#record.stored !== undefined;
  }

  send(updates: readonly SessionUpdate[]): void {
    this.feed.send(updates);
  }

  receive(event: LonghaulEvent): void {
    if (event.type === 'message:dequeued') this.#turns.noteDelivery(event);
    if (event.type === 'run:started') this.#inBackground(this.#askOpen());
    this.feed.receive(event);
  }

  /**
   * Sends a prompt and waits until its turn has ended. During a turn, the prompt is queued for the turn's next step,
   * and both prompts end with the turn.
   *
   * @param options.tools Patterns of the tools that the answer may use. Default: all.
   * @throws {LonghaulError} The failure of the turn.
   */
  async prompt(
    blocks: readonly ContentBlock[],
    { tools, signal }: { tools?: readonly string[] | undefined; signal: AbortSignal },
  ): Promise<StopReason> {
    using turn = this.#turns.begin(signal, tools);
    try {
      return await this.#answer(turn, contentOf(blocks, this.folder));
    } catch (error) {
      if (turn.isCancelled || toLonghaulError(error).code === 'cancelled') return 'cancelled';
      throw error;
    } finally {
      await this.feed.settled();
    }
  }

  /** Stops all work for the session. All its prompts end as `cancelled`. */
  async cancel(): Promise<void> {
    this.#asker.withdrawAll();
    await this.#turns.cancel();
  }

  /** Stops all work for the session, and the updates about it. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.cancel();
  }

  /** Aborts when the client closes the session. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Changes a setting. Throws as `changed`. */
  async set(option: string, value: string): Promise<void> {
    await this.#record.change(await changed(option, value, this.workspace));
  }

  /** Returns an update with the commands of the session, for a client that has opened it. */
  async newCommands(): Promise<SessionUpdate[]> {
    return await this.#commands.next({ isOpened: true });
  }

  async #answer(turn: Turn, content: readonly UserMessageContentPart[]): Promise<StopReason> {
    const typed = await this.#inOrder(async () => {
      const found = typedCommand(content, await this.workspace.commands());
      if (found === undefined) await this.#enqueue(turn, content);
      return found;
    });
    if (typed === undefined) return await this.#wait(turn, content);
    const outcome = await this.#run(typed, turn);
    if ('prompt' in outcome) {
      const prompt = [{ type: 'text' as const, text: outcome.prompt }];
      await this.#enqueue(turn, prompt);
      return await this.#wait(turn, prompt);
    }
    if (turn.isCancelled) return 'cancelled';
    this.send(remark(fenced(outcome.text.trimEnd())));
    return 'end_turn';
  }

  async #run({ command, words }: TypedCommand, { signal }: Turn): ReturnType<TypedCommand['command']['run']> {
    if (command.needsSession === true && !this.isStored)
      return { text: `/${command.name} needs a session with messages, and this session has none yet.` };
    await this.#record.stored;
    return await command.run(words, { sessionId: this.id, title: this.fields.title, signal });
  }

  /** Lets prompts enter the queue in the order in which the client sent them. */
  #inOrder<T>(enter: () => Promise<T>): Promise<T> {
    const entering = this.#entered.then(enter);
    // Its caller gets the error.
    this.#entered = entering.catch(() => undefined);
    return entering;
  }

  async #enqueue(turn: Turn, content: readonly UserMessageContentPart[]): Promise<void> {
    const { runtime, models } = this.workspace;
    // A problem with the model is reported before anything is stored.
    await models.prepare(this.fields.model);
    await this.#store(content);
    if (!turn.isCancelled) await runtime.queue.enqueue(this.id, content, optionsOf(turn));
  }

  /** Waits until a run has answered the prompt, which is in the queue. */
  async #wait(turn: Turn, content: readonly UserMessageContentPart[]): Promise<StopReason> {
    const { runtime } = this.workspace;
    try {
      if (turn.isCancelled) return 'cancelled';
      const options = { ...optionsOf(turn), signal: turn.withdrawn };
      return stopReasonOf(await runtime.sendAndWait(this.id, content, options));
    } finally {
      // A prompt that has failed is not delivered later.
      await this.#turns.remove(turn);
    }
  }

  async #store(content: readonly UserMessageContentPart[]): Promise<void> {
    const title = await this.#record.store(content);
    if (title === undefined) return;
    this.send([{ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() }]);
  }

  #askAbout(event: LonghaulEvent): void {
    if (event.type === 'approval:requested') this.#asker.ask(event);
    if (event.type === 'approval:answered') this.#asker.withdraw(event.handle);
    if (event.type !== 'run:finished') return;
    this.#asker.withdrawAll();
    // The first run starts the MCP servers of the session.
    this.#inBackground(this.#commands.next({ isOpened: false }).then((updates) => this.send(updates)));
  }

  /** Asks about calls that wait since an earlier run: their requests are not reported again. */
  async #askOpen(): Promise<void> {
    for (const approval of await this.workspace.runtime.approvals.list(this.id, { open: true })) {
      this.#asker.ask(approval);
    }
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#link.log(problemOf(error)));
  }
}

function optionsOf({ messageId, tools }: Turn) {
  return { id: messageId, tools };
}
