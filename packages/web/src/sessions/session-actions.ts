import type { Share } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { type Server, useServer } from '../data/server.ts';
import { goTo, parseRoute } from '../shell/route.ts';
import { problemNotice } from '../ui/problem-notice.ts';
import { saveFile } from '../ui/save-file.ts';
import { type Notice, useNotify } from '../ui/toasts.tsx';
import type { SessionList } from './session-list.ts';
import { exportName, sessionName } from './session-names.ts';
import { useSessionList } from './use-session-list.ts';

type Named = Pick<SessionInfo, 'id' | 'title' | 'task'>;

/** How long the server keeps a deleted session. */
const UNDO_SECONDS = 60;

/** What can be done with a session from anywhere on the page. Failures are shown as toasts. */
export class SessionActions {
  readonly #server: Server;
  readonly #list: SessionList;
  readonly #notify: (notice: Notice) => void;

  constructor({
    server,
    list,
    notify,
  }: { server: Server; list: SessionList; notify: (notice: Notice) => void }) {
    this.#server = server;
    this.#list = list;
    this.#notify = notify;
  }

  /** Returns whether the session has the new title. */
  async rename(session: Named, title: string): Promise<boolean> {
    return this.#tried(async () => {
      this.#list.put(await this.#server.client.sessions.update(session.id, { title }));
    });
  }

  /** Lets others use the session. Returns whether that is stored. */
  async share(session: Named, shared: Share): Promise<boolean> {
    return this.#tried(async () => {
      this.#list.put(await this.#server.client.sessions.update(session.id, { shared }));
      this.#server.book.current(session.id)?.refresh();
    });
  }

  /** @param at Handle of the last message of the fork. Default: the newest message. */
  async fork(session: Named, at?: string): Promise<void> {
    await this.#tried(async () => {
      const fork = await this.#server.client.sessions.fork(session.id, at === undefined ? {} : { at });
      this.#list.put(fork);
      const route = parseRoute(location.hash);
      const panel = route.page === 'session' ? route.panel : undefined;
      goTo({ page: 'session', sessionId: fork.id, ...(panel !== undefined && { panel }) });
      this.#notify({
        kind: 'good',
        title: `Forked “${sessionName(session)}”${at === undefined ? '' : ` at ${at}`}`,
        description: 'This is the copy. Both work in the same folder.',
      });
    });
  }

  /** Makes a copy that works in another folder, and shows it. The session stays as it is. */
  async copyInto(session: Named, workspace: string): Promise<void> {
    await this.#tried(async () => {
      const { sessions } = this.#server.client;
      const exported = await sessions.export(session.id);
      const copy = await sessions.import(JSON.stringify(exported), {
        workspace,
        name: exportName(session),
      });
      goTo({ page: 'session', sessionId: copy.sessionId });
      this.#notify({
        kind: 'good',
        title: `Copied “${sessionName(session)}”`,
        description: `This is the copy. It works in ${workspace}.`,
      });
    });
  }

  async export(session: Named, { files }: { files: boolean }): Promise<void> {
    await this.#tried(async () => {
      const exported = await this.#server.client.sessions.export(session.id, { files });
      saveFile(new Blob([JSON.stringify(exported)], { type: 'application/json' }), exportName(session));
    });
  }

  /** Deletes a session after a time in which this can be undone. */
  async delete(session: Named): Promise<void> {
    await this.#tried(async () => {
      await this.#server.client.sessions.delete(session.id, { undoSeconds: UNDO_SECONDS });
      this.#list.hide(session.id, true);
      const wasShown = shownSession() === session.id;
      if (wasShown) goTo({ page: 'home' });
      this.#notify({
        kind: 'plain',
        title: `Deleted “${sessionName(session)}”`,
        actions: [{ label: 'Undo', onClick: () => void this.#restore(session, wasShown) }],
      });
    });
  }

  async #restore(session: Named, wasShown: boolean): Promise<void> {
    await this.#tried(async () => {
      await this.#server.client.sessions.restore(session.id);
      this.#list.hide(session.id, false);
      if (wasShown) goTo({ page: 'session', sessionId: session.id });
    });
  }

  async #tried(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.#notify(problemNotice(error));
      return false;
    }
  }
}

export function useSessionActions(): SessionActions {
  const server = useServer();
  const list = useSessionList();
  const notify = useNotify();
  return new SessionActions({ server, list, notify });
}

function shownSession(): string | undefined {
  const route = parseRoute(location.hash);
  return route.page === 'session' ? route.sessionId : undefined;
}
