import { isAbsolute } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { LonghaulEvent } from '@longhaul/protocol';
import { LonghaulError } from '@longhaul/protocol';
import type { AcpOptions, AcpWorkspace, ToolsWrapper } from '../acp-options.ts';

export interface WorkspacesOptions {
  openWorkspace: AcpOptions['openWorkspace'];
  wrapTools: ToolsWrapper;
  onEvent(event: LonghaulEvent): void;
}

/** The agents of the folders that the client works in. Each is opened once. */
export class Workspaces implements AsyncDisposable {
  readonly #options: WorkspacesOptions;
  readonly #opened = new Map<string, Promise<AcpWorkspace>>();
  readonly #known = new Set<AcpWorkspace>();
  #isClosed = false;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /** @throws {LonghaulError} `invalid_request` for a relative path; as `openWorkspace`. */
  async open(folder: string): Promise<AcpWorkspace> {
    if (!isAbsolute(folder))
      throw new LonghaulError('invalid_request', `cwd must be an absolute path, got "${folder}".`);
    const known = this.#opened.get(folder);
    if (known !== undefined) return known;
    const opening = this.#open(folder);
    this.#opened.set(folder, opening);
    // The folder may exist the next time, or its configuration may be right.
    opening.catch(() => this.#opened.delete(folder));
    return opening;
  }

  /** Returns an open workspace whose store has the session, or that of the default folder. */
  async holding(sessionId: string, defaultFolder: string): Promise<AcpWorkspace> {
    await this.open(defaultFolder);
    for (const workspace of this.#known) {
      if ((await workspace.store.getSession(sessionId)) !== undefined) return workspace;
    }
    throw RequestError.sessionNotFound(sessionId);
  }

  /** Interrupts all runs and closes the stores. The sessions can be resumed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#opened.values());
    await Promise.all([...this.#known].map(({ runtime }) => runtime.stop({ graceMs: 0 })));
    for (const workspace of this.#known) await workspace[Symbol.asyncDispose]();
  }

  async #open(folder: string): Promise<AcpWorkspace> {
    const { openWorkspace, wrapTools, onEvent } = this.#options;
    const workspace = await openWorkspace(folder, wrapTools);
    if (this.#known.has(workspace)) return workspace;
    this.#known.add(workspace);
    workspace.runtime.subscribe(onEvent);
    if (this.#isClosed) await workspace.runtime.stop({ graceMs: 0 });
    return workspace;
  }
}
