import type { ConnectedTools, Sandbox, ToolConnection, ToolConnector } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import {
  type ServerReport,
  type SessionOffers,
  SessionServers,
  type SessionServersOptions,
} from './session-servers.ts';

export interface ServerPoolOptions
  extends Omit<SessionServersOptions, 'workspace' | 'servers' | 'openSandbox'> {
  /** Opens a sandbox for a server of a session, with these variables. Default: there are none. */
  openSandbox?: (session: SandboxedSession, variables: Readonly<Record<string, string>>) => Promise<Sandbox>;
  /** Returns the servers that are configured now. Another object means that they have changed. */
  servers: () => SessionServersOptions['servers'];
  /** How long the servers of a session live without a run. Default 10 minutes. */
  idleMs?: number;
}

export type SandboxedSession = Pick<Session, 'id' | 'workspace'>;

const IDLE_MS = 600_000;

/**
 * The servers of all sessions of this process. Each session has its own: they start with its first run, and keep their
 * state between its runs. They end if no run uses them for some time, if their settings change, and with the process.
 */
export class ServerPool implements ToolConnector {
  readonly #options: ServerPoolOptions;
  readonly #sessions = new Map<string, Entry>();

  constructor(options: ServerPoolOptions) {
    this.#options = options;
  }

  async connect(run: ToolConnection): Promise<ConnectedTools> {
    const { id } = run.session;
    const settings = this.#options.servers();
    const known = this.#sessions.get(id);
    if (known !== undefined && known.settings !== settings) await this.#end(id, known);
    const entry = this.#sessions.get(id) ?? this.#add(run.session, settings);
    clearTimeout(entry.timer);
    this.#moveToEnd(id, entry);
    const connected = await entry.servers.connect(run);
    return { ...connected, release: () => this.#leave(id, entry) };
  }

  /** Reports the servers of a session that has run in this process. */
  report(sessionId: string): ServerReport[] | undefined {
    return this.#sessions.get(sessionId)?.servers.report();
  }

  /** Lists what a person can name in a session that has run in this process. */
  async offers(sessionId: string, signal: AbortSignal): Promise<SessionOffers> {
    return (
      (await this.#sessions.get(sessionId)?.servers.offers({ signal })) ?? { prompts: [], resources: [] }
    );
  }

  /** Reports each server in the session that used it last. */
  newestReport(): ServerReport[] {
    const reports = [...this.#sessions.values()].flatMap(({ servers }) => servers.report());
    return [...new Map(reports.map((report) => [report.name, report])).values()];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map(([id, entry]) => this.#end(id, entry)));
  }

  #add({ id, workspace }: SandboxedSession, settings: SessionServersOptions['servers']): Entry {
    const { openSandbox, ...options } = this.#options;
    const servers = new SessionServers({
      ...options,
      servers: settings,
      workspace,
      openSandbox: openSandbox && ((variables) => openSandbox({ id, workspace }, variables)),
    });
    const entry: Entry = { servers, settings };
    this.#sessions.set(id, entry);
    return entry;
  }

  /** The session that ran last is the last one. */
  #moveToEnd(id: string, entry: Entry): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, entry);
  }

  #leave(id: string, entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => void this.#end(id, entry), this.#options.idleMs ?? IDLE_MS).unref();
  }

  async #end(id: string, entry: Entry): Promise<void> {
    clearTimeout(entry.timer);
    if (this.#sessions.get(id) === entry) this.#sessions.delete(id);
    await entry.servers.close();
  }
}

interface Entry {
  servers: SessionServers;
  settings: SessionServersOptions['servers'];
  timer?: NodeJS.Timeout;
}
