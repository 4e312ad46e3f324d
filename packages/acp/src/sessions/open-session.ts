import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';
import { PermissionAsker } from '../approvals/permission-asker.ts';
import { questionClient } from '../approvals/question-client.ts';
import type { ClientLink } from '../client-link.ts';
import { SessionPrompts } from '../prompt/session-prompts.ts';
import { problemOf } from '../request-error.ts';
import { EventFeed } from '../updates/event-feed.ts';
import { CommandsUpdate } from './commands-update.ts';
import { type SessionFields, SessionRecord } from './session-record.ts';
import { changed } from './session-settings.ts';

/** What a session needs of the connection. */
export type SessionLink = Pick<
  ClientLink,
  'features' | 'outbox' | 'requestPermission' | 'showForm' | 'isConnected' | 'log'
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
  readonly #prompts: SessionPrompts;
  readonly #commands: CommandsUpdate;
  readonly #closed = new AbortController();
  readonly #record: SessionRecord;

  constructor(fields: SessionFields, { workspace, folder, isStored, link }: OpenSessionOptions) {
    const sessionId = fields.id;
    this.id = sessionId;
    this.workspace = workspace;
    this.folder = folder;
    this.#record = new SessionRecord(fields, { workspace, isStored });
    this.#link = link;
    this.#commands = new CommandsUpdate(sessionId, workspace);
    const { store } = workspace;
    const inBackground = (work: Promise<unknown>) => this.#inBackground(work);
    this.feed = new EventFeed({ sessionId, folder, store, link, onSent: (event) => this.#askAbout(event) });
    this.#prompts = new SessionPrompts({
      workspace,
      folder,
      record: this.#record,
      feed: this.feed,
      isConnected: () => link.isConnected,
      inBackground,
    });
    this.#asker = new PermissionAsker({
      sessionId,
      folder,
      workspace,
      client: questionClient(link, (updates) => this.send(updates)),
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
    if (event.type === 'message:dequeued') this.#prompts.noteDelivery(event);
    if (event.type === 'run:started') this.#inBackground(this.#askOpen());
    this.feed.receive(event);
  }

  /** See `SessionPrompts.prompt`. */
  prompt(...prompt: Parameters<SessionPrompts['prompt']>): Promise<StopReason> {
    return this.#prompts.prompt(...prompt);
  }

  /** Stops all work for the session. All its prompts end as `cancelled`. */
  async cancel(): Promise<void> {
    this.#asker.withdrawAll();
    await this.#prompts.cancel();
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
