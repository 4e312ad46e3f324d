import type { LonghaulClient } from '@longhaul/client';
import { toLonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';

/** What a new session is made with. Empty: the default of the server. */
export interface SessionChoice {
  workspace: string;
  agent: string;
  model: string;
}

type Client = Pick<LonghaulClient, 'sessions' | 'sendMessage'>;

const MOST_TASK_CHARS = 2_000;

/**
 * Creates a session and sends its first message. If the second step fails, the next try uses the same session, and a
 * repeated message is stored once.
 */
export class FirstMessage {
  readonly #client: Client;
  #made: { session: SessionInfo; from: string } | undefined;
  #sent: { content: string; key: string } | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async send(content: readonly UserMessageContentPart[], choice: SessionChoice): Promise<SessionInfo> {
    const session = await this.#session(createBody(content, choice));
    await this.#client.sendMessage(session.id, [...content], { idempotencyKey: this.#keyFor(content) });
    this.#made = undefined;
    this.#sent = undefined;
    return session;
  }

  async #session(body: ReturnType<typeof createBody>): Promise<SessionInfo> {
    const from = JSON.stringify(body);
    if (this.#made !== undefined && this.#made.from !== from) await this.#discard(this.#made.session.id);
    this.#made ??= { session: await this.#client.sessions.create(body), from };
    return this.#made.session;
  }

  /** A session that has in the meantime got its message works, and stays. */
  async #discard(sessionId: string): Promise<void> {
    try {
      await this.#client.sessions.delete(sessionId);
    } catch (error) {
      const { code } = toLonghaulError(error);
      if (code !== 'session_busy' && code !== 'session_not_found') throw error;
    }
    this.#made = undefined;
  }

  #keyFor(parts: readonly UserMessageContentPart[]): string {
    const content = JSON.stringify(parts);
    if (this.#sent?.content !== content) this.#sent = { content, key: crypto.randomUUID() };
    return this.#sent.key;
  }
}

function createBody(content: readonly UserMessageContentPart[], { workspace, agent, model }: SessionChoice) {
  const task = taskOf(content);
  return {
    ...(task !== '' && { task }),
    ...(workspace.trim() !== '' && { workspace: workspace.trim() }),
    ...(agent !== '' && { agent }),
    ...(model !== '' && { model }),
  };
}

/** The text of the message, which also names the session. */
export function taskOf(content: readonly UserMessageContentPart[]): string {
  const text = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
  return text.replaceAll('\0', '').trim().slice(0, MOST_TASK_CHARS).toWellFormed();
}
