import type { Session, UserMessageContentPart } from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';

/** Fields of a session, stored or not. */
export type SessionFields = Pick<Session, 'id' | 'model' | 'workspace' | 'title' | 'metadata'>;

export interface SessionRecordOptions {
  workspace: AcpWorkspace;
  isStored: boolean;
}

/** The fields of an open session. A new session is stored with its first prompt. */
export class SessionRecord {
  readonly #workspace: AcpWorkspace;
  #fields: SessionFields;
  #stored: Promise<void> | undefined;

  constructor(fields: SessionFields, { workspace, isStored }: SessionRecordOptions) {
    this.#workspace = workspace;
    this.#fields = fields;
    this.#stored = isStored ? Promise.resolve() : undefined;
  }

  get fields(): SessionFields {
    return this.#fields;
  }

  /** Settles when the session is stored. Undefined: it has no prompt yet. */
  get stored(): Promise<void> | undefined {
    return this.#stored;
  }

  /** Changes the model, the agent or both. */
  async change({ model, agent }: { model?: string; agent?: string }): Promise<void> {
    const metadata = agent === undefined ? undefined : { agent };
    const { metadata: before } = this.#fields;
    this.#fields = {
      ...this.#fields,
      model: model ?? this.#fields.model,
      metadata: metadata === undefined ? before : { ...before, ...metadata },
    };
    if (this.#stored === undefined) return;
    await this.#stored;
    await this.#workspace.store.updateSession(this.#fields.id, { model, metadata });
  }

  /**
   * Stores the session if it is new, with the text of its first prompt as the task.
   *
   * @returns The title, if this call has stored the session.
   */
  async store(content: readonly UserMessageContentPart[]): Promise<string | undefined> {
    const isNew = this.#stored === undefined;
    this.#stored ??= this.#create(content);
    try {
      await this.#stored;
    } catch (error) {
      this.#stored = undefined;
      throw error;
    }
    return isNew ? this.#fields.title : undefined;
  }

  async #create(content: readonly UserMessageContentPart[]): Promise<void> {
    const task = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    const { title } = await this.#workspace.runtime.createSession({
      ...this.#fields,
      title: undefined,
      task,
    });
    this.#fields = { ...this.#fields, title };
  }
}
