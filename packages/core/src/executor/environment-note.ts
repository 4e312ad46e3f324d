import { type Fact, goneText } from '../prompt/environment.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/** The environment of one run. */
export interface RunEnvironment {
  /** Builds the system text from what the session began with. Called at the start. */
  build(): Promise<string>;
  /** Builds the system text from the present environment. Called after each compaction. */
  renew(): Promise<string>;
  /**
   * Learns which paths the tools of a step have used. Returns whether there are instruction files in their folders that
   * were not read before.
   */
  touched(paths: readonly string[]): Promise<boolean>;
  /** Returns the facts in the system text. */
  begun(): Promise<readonly Fact[]>;
  /** Returns the facts as they were read last, with the present date. */
  present(): readonly Fact[];
}

/** The values of facts, by their keys. An empty value: the fact is gone. */
type Values = Record<string, string>;

/**
 * Tells the model what has changed of the environment in the system text. The note follows the history, so that the
 * beginning of the request stays the same.
 */
export class EnvironmentNote {
  readonly #writer: SessionWriter;
  readonly #environment: RunEnvironment;
  #isDue = true;

  constructor(writer: SessionWriter, environment: RunEnvironment) {
    this.#writer = writer;
    this.#environment = environment;
  }

  /** A compaction may have hidden the last note. */
  afterCompaction(): void {
    this.#isDue = true;
  }

  /** Call it after the tools of a step, with the paths that they used. */
  async afterTools(paths: readonly string[]): Promise<void> {
    if (paths.length > 0 && (await this.#environment.touched(paths))) this.#isDue = true;
  }

  /** Call it before each request. */
  async appendIfDue(): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    const begun = valuesOf(await this.#environment.begun());
    const told = { ...begun, ...this.#noted() };
    const present = this.#environment.present();
    const changed = present.filter(({ key, value }) => told[key] !== value);
    const values = valuesOf(present);
    const gone = Object.keys(told).filter((key) => told[key] !== '' && values[key] === undefined);
    const news = [...changed.map((fact) => fact.news), ...gone.flatMap((key) => goneText(key) ?? [])];
    if (news.length === 0) return;
    const note = draftSyntheticMessage(news.join('\n'), 'environment');
    const facts = { ...valuesOf(changed), ...Object.fromEntries(gone.map((key) => [key, ''])) };
    await this.#writer.appendMessage({ ...note, metadata: { ...note.metadata, facts } });
  }

  /** Returns the values in the notes that the model can see. */
  #noted(): Values {
    const { log, unloaded } = this.#writer;
    const values: Values = {};
    for (const { id, metadata } of log.messages) {
      if (metadata?.synthetic !== 'environment' || unloaded.has(id)) continue;
      for (const [key, value] of Object.entries(metadata['facts'] ?? {}))
        if (typeof value === 'string') values[key] = value;
    }
    return values;
  }
}

function valuesOf(facts: readonly Fact[]): Values {
  return Object.fromEntries(facts.map(({ key, value }) => [key, value]));
}
