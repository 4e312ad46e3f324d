import type {
  ListSessionsRequest,
  ListSessionsResponse,
  McpServer,
  NewSessionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import { assertDeletable, newId } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { AcpOptions, AcpWorkspace } from '../acp-options.ts';
import { sessionNotOpen } from '../request-error.ts';
import { notice } from '../updates/notice.ts';
import { OpenSession, type SessionLink } from './open-session.ts';
import { replay, sendUsage } from './replay.ts';
import { listSessions } from './session-list.ts';
import type { SessionFields } from './session-record.ts';
import { configOptionsOf, modesOf } from './session-settings.ts';
import type { Workspaces } from './workspaces.ts';

export interface SessionBookOptions {
  workspaces: Workspaces;
  link: SessionLink;
  defaultFolder: AcpOptions['defaultFolder'];
}

/** Where a client opens a session, and with what. */
export interface SessionPlace {
  cwd: string;
  mcpServers?: readonly McpServer[];
  additionalDirectories?: readonly string[];
}

type SessionState = Omit<NewSessionResponse, 'sessionId'>;

/** The sessions that the client has open, and those that it can open. */
export class SessionBook {
  readonly #options: SessionBookOptions;
  readonly #open = new Map<string, OpenSession>();
  /** Stored sessions that are being opened. */
  readonly #opening = new Map<string, Promise<OpenSession>>();

  constructor(options: SessionBookOptions) {
    this.#options = options;
  }

  /** @throws {RequestError} If the client has no such session open. */
  get(sessionId: string): OpenSession {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw sessionNotOpen(sessionId);
    return session;
  }

  find(sessionId: string): OpenSession | undefined {
    return this.#open.get(sessionId);
  }

  /** Begins a session. It is stored with its first prompt. */
  async begin(place: SessionPlace): Promise<NewSessionResponse> {
    const workspace = await this.#options.workspaces.open(place.cwd);
    const model = await workspace.models.resolve(workspace.agents.list()[0]?.model);
    const fields = { id: newId(), model, workspace: workspace.folder, title: '', metadata: undefined };
    const session = this.#add(fields, { workspace, folder: place.cwd, isStored: false });
    return { sessionId: session.id, ...(await this.#opened(session, place)) };
  }

  /**
   * Opens a stored session and sends all its messages as updates.
   *
   * @throws {RequestError} If the signal aborts or the session is closed before everything is sent.
   */
  async load(sessionId: string, place: SessionPlace, signal: AbortSignal): Promise<SessionState> {
    const session = await this.#reopen(sessionId, place);
    const stopped = AbortSignal.any([signal, session.closed]);
    await replay(session, stopped);
    if (stopped.aborted) throw RequestError.requestCancelled();
    await sendUsage(session);
    return this.#opened(session, place);
  }

  /** Opens a stored session without its messages. */
  async resume(sessionId: string, place: SessionPlace): Promise<SessionState> {
    const session = await this.#reopen(sessionId, place);
    await sendUsage(session);
    return this.#opened(session, place);
  }

  /** Lists the stored sessions of a folder, or those of all folders, newest first. */
  async list(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { workspaces, defaultFolder } = this.#options;
    return await listSessions(await workspaces.open(request.cwd ?? defaultFolder), request);
  }

  /**
   * Stops what works for the session, and forgets it. It stays in the store. If the session is being loaded or resumed,
   * the close takes effect when it is open.
   */
  async close(sessionId: string): Promise<void> {
    await this.#settled(sessionId);
    const session = this.get(sessionId);
    this.#open.delete(sessionId);
    await session.close();
  }

  /**
   * Deletes a session and its children from the store.
   *
   * @throws {LonghaulError} `session_busy` while a process works on one of them, or the parent needs the session.
   */
  async delete(sessionId: string): Promise<void> {
    await this.#settled(sessionId);
    const open = this.#open.get(sessionId);
    if (open !== undefined) await this.close(sessionId);
    if (open?.isStored === false) return;
    const { workspaces, defaultFolder } = this.#options;
    const { store, runtime } = open?.workspace ?? (await workspaces.holding(sessionId, defaultFolder));
    const session = await store.getSession(sessionId);
    const family = session === undefined ? [sessionId] : await assertDeletable(store, session);
    for (const id of family) await runtime.endKeptCommands(id);
    await store.deleteSession(sessionId);
  }

  async #reopen(sessionId: string, place: SessionPlace): Promise<OpenSession> {
    const opening = this.#openStored(sessionId, place);
    this.#opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(sessionId) === opening) this.#opening.delete(sessionId);
    }
  }

  /** Waits until the session is no longer being opened. */
  async #settled(sessionId: string): Promise<void> {
    // Whoever opens the session gets the error.
    await this.#opening.get(sessionId)?.catch(() => undefined);
  }

  async #openStored(sessionId: string, { cwd }: SessionPlace): Promise<OpenSession> {
    const workspace = await this.#options.workspaces.open(cwd);
    const stored = await workspace.store.getSession(sessionId);
    if (stored === undefined) throw RequestError.sessionNotFound(sessionId);
    if (stored.workspace !== workspace.folder) {
      throw new LonghaulError(
        'invalid_request',
        `Session ${sessionId} works in ${stored.workspace}. Open it with this folder as cwd, not with ${workspace.folder}.`,
      );
    }
    return this.#open.get(sessionId) ?? this.#add(stored, { workspace, folder: cwd, isStored: true });
  }

  #add(
    fields: SessionFields,
    place: { workspace: AcpWorkspace; folder: string; isStored: boolean },
  ): OpenSession {
    const session = new OpenSession(fields, { ...place, link: this.#options.link });
    this.#open.set(session.id, session);
    return session;
  }

  /** Returns the response for an opened session. What needs the client to know the session is sent after it. */
  async #opened(session: OpenSession, place: SessionPlace): Promise<SessionState> {
    const { fields, workspace } = session;
    const configOptions = await configOptionsOf(fields, workspace);
    const updates = [...(await session.newCommands()), ...this.#ignored(place)];
    setImmediate(() => session.send(updates));
    return { modes: modesOf(fields, workspace), configOptions };
  }

  /** Reports what a client offers in vain. */
  #ignored({ mcpServers = [], additionalDirectories = [] }: SessionPlace): SessionUpdate[] {
    const { features, log } = this.#options.link;
    const ignored = [
      ...(mcpServers.length === 0 ? [] : [`MCP servers (${mcpServers.map(({ name }) => name).join(', ')})`]),
      ...(additionalDirectories.length === 0 ? [] : ['additional directories']),
    ];
    if (ignored.length === 0) return [];
    const title = `Longhaul does not support ${ignored.join(' and ')} of the editor yet, and ignores them.`;
    log(title);
    return notice(features, { severity: 'warning', title, isImportant: true });
  }
}
