import { gitAtStart, type Session } from '@longhaul/protocol';
import type { RunEnvironment } from '../executor/environment-note.ts';
import type { BlobStore, Sandbox, Store } from '../ports/index.ts';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { type Environment, factsOf, readEnvironment } from '../prompt/environment.ts';
import { readGitStart } from '../prompt/git-start.ts';
import { maxInstructionChars } from '../prompt/instruction-files.ts';
import { dayOf, firstDay } from '../prompt/session-date.ts';
import { hasEnvironment, loadEnvironment, storeEnvironment } from '../session/session-environment.ts';
import type { SessionWriter } from '../session/session-writer.ts';

export interface RunSystemOptions {
  agent: SessionAgent;
  sandbox: Sandbox;
  writer: SessionWriter;
  store: Store;
  blobs: BlobStore;
  windowTokens: number;
  instructionFiles: readonly string[];
}

/**
 * The environment of one run. The system text has what the session began with, so that the provider's cache applies. A
 * compaction changes what follows the system text anyway, so the system text then gets the present environment.
 */
export class RunSystem implements RunEnvironment {
  readonly #options: RunSystemOptions;
  readonly #maxChars: number;
  #begun: Environment | undefined;
  #present: Environment | undefined;
  #hasWarned = false;

  constructor(options: RunSystemOptions) {
    this.#options = options;
    this.#maxChars = maxInstructionChars(options.windowTokens);
  }

  async build(): Promise<string> {
    const present = await this.#read();
    const session = await this.#session();
    const begun = session && (await loadEnvironment(session, this.#options.blobs));
    if (begun === undefined) await this.#keep(present, session);
    this.#begun = begun ?? present;
    return await this.#text(this.#begun);
  }

  async renew(): Promise<string> {
    const present = await this.#read();
    await this.#keep(present, await this.#session());
    this.#begun = present;
    return await this.#text(present);
  }

  async begun() {
    const date = await firstDay(this.#options.writer);
    return this.#begun === undefined ? [] : factsOf(this.#begun, { date, maxChars: this.#maxChars });
  }

  present() {
    const date = dayOf(Date.now());
    return this.#present === undefined ? [] : factsOf(this.#present, { date, maxChars: this.#maxChars });
  }

  async #read(): Promise<Environment> {
    const { sandbox, instructionFiles } = this.#options;
    const present = await readEnvironment(sandbox, instructionFiles);
    this.#present = present;
    await this.#warn(present);
    return present;
  }

  async #text(environment: Environment): Promise<string> {
    const date = await firstDay(this.#options.writer);
    return agentPrompt(this.#options.agent, factsOf(environment, { date, maxChars: this.#maxChars }));
  }

  #session(): Promise<Session | undefined> {
    const { store, writer } = this.#options;
    return store.getSession(writer.lease.sessionId);
  }

  async #keep(environment: Environment, session: Session | undefined): Promise<void> {
    if (session === undefined) return;
    const { store, blobs, sandbox } = this.#options;
    const git = isNew(session) ? await readGitStart(sandbox.files) : undefined;
    await storeEnvironment(environment, { session, store, blobs, git });
  }

  /** Warns once of instruction files that are too long for the window. */
  async #warn({ instructions }: Environment): Promise<void> {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const cut = instructions.filter(({ isCut, text }) => isCut || text.length > this.#maxChars);
    if (cut.length === 0) return;
    const names = cut.map(({ path }) => path).join(', ');
    const message = `${names}: only the first ${this.#maxChars} characters are in the system text. The model can read the rest.`;
    await this.#options.writer.announce({ type: 'context:warning', message });
  }
}

/** Returns whether no run of the session, and none of its source, has begun. */
function isNew(session: Session): boolean {
  return !hasEnvironment(session) && gitAtStart(session) === undefined;
}
