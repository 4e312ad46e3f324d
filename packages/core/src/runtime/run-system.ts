import { gitAtStart, type Session } from '@longhaul/protocol';
import type { RunEnvironment } from '../executor/environment-note.ts';
import type { BlobStore, Sandbox, Skill, Store } from '../ports/index.ts';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { type Environment, factsOf, readEnvironment } from '../prompt/environment.ts';
import { readGitStart } from '../prompt/git-start.ts';
import { type InstructionFile, maxInstructionChars } from '../prompt/instruction-files.ts';
import { instructionWarnings } from '../prompt/instruction-warnings.ts';
import { NestedInstructions } from '../prompt/nested-instructions.ts';
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
  skills: readonly Skill[];
  outsideInstructions: () => Promise<readonly InstructionFile[]>;
}

/**
 * The environment of one run. The system text has what the session began with, so that the provider's cache applies. A
 * compaction changes what follows the system text anyway, so the system text then gets the present environment.
 */
export class RunSystem implements RunEnvironment {
  readonly #options: RunSystemOptions;
  #agent: SessionAgent;
  readonly #maxChars: number;
  #begun: Environment | undefined;
  #present: Environment | undefined;
  readonly #nested: NestedInstructions;
  readonly #warned = new Set<string>();

  constructor(options: RunSystemOptions) {
    this.#options = options;
    this.#agent = options.agent;
    this.#maxChars = maxInstructionChars(options.windowTokens);
    this.#nested = new NestedInstructions(options.sandbox.files);
  }

  /** The next `renew` describes these tools. */
  replaceTools(change: Pick<SessionAgent, 'tools' | 'toolsText'>): void {
    this.#agent = { ...this.#agent, ...change };
  }

  async build(): Promise<string> {
    const session = await this.#session();
    const begun = session && (await loadEnvironment(session, this.#options.blobs));
    this.#nested.add(begun?.folders ?? []);
    const present = await this.#read();
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

  /** A file that was read before stays as it was read: a compaction or the next run reads it again. */
  async touched(paths: readonly string[]): Promise<boolean> {
    const present = this.#present;
    if (present === undefined || !this.#readsNested) return false;
    if (!(await this.#nested.touch(paths))) return false;
    const next = await this.#withNested(present);
    this.#present = next;
    await this.#warn(next);
    if (this.#begun !== undefined) {
      this.#begun = { ...this.#begun, folders: next.folders };
      await this.#keep(this.#begun, await this.#session());
    }
    return next.instructions.length > present.instructions.length;
  }

  get #readsNested(): boolean {
    return this.#options.instructionFiles.includes('AGENTS.md');
  }

  async #read(): Promise<Environment> {
    const { sandbox, instructionFiles, outsideInstructions } = this.#options;
    const read = await readEnvironment(sandbox, instructionFiles, outsideInstructions);
    const own = { ...read, skills: listed(this.#options.skills) };
    const present = this.#readsNested ? await this.#withNested(own) : own;
    this.#present = present;
    await this.#warn(present);
    return present;
  }

  async #withNested(environment: Environment): Promise<Environment> {
    const { folders } = this.#nested;
    if (folders.length === 0) return environment;
    const { instructions } = environment;
    const known = new Set(instructions.map(({ path }) => path));
    const added = (await this.#nested.read()).filter(({ path }) => !known.has(path));
    return { ...environment, folders, instructions: [...instructions, ...added] };
  }

  async #text(environment: Environment): Promise<string> {
    const date = await firstDay(this.#options.writer);
    return agentPrompt(this.#agent, factsOf(environment, { date, maxChars: this.#maxChars }));
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

  /** Warns once of each file that is not in the system text as it is on disk. */
  async #warn({ instructions }: Environment): Promise<void> {
    for (const message of instructionWarnings(instructions, this.#maxChars)) {
      if (this.#warned.has(message)) continue;
      this.#warned.add(message);
      await this.#options.writer.announce({ type: 'context:warning', message });
    }
  }
}

function listed(skills: readonly Skill[]) {
  return skills.map(({ name, description }) => ({ name, description }));
}

/** Returns whether no run of the session, and none of its source, has begun. */
function isNew(session: Session): boolean {
  return !hasEnvironment(session) && gitAtStart(session) === undefined;
}
