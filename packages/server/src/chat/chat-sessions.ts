import { createHash } from 'node:crypto';
import { agentNameOf } from '@longhaul/config';
import { defaultTitle, newId, taskOf } from '@longhaul/core';
import { LonghaulError, type Session } from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';

interface NewChat {
  task: string;
  /** Name of a configured agent. Default: the default agent of sessions. */
  agent: string | undefined;
}

/**
 * Maps chats to sessions. A chat id is either a session id or any name. For a name, the session id is computed from it,
 * so that two simultaneous requests cannot create two sessions. A regenerated answer or an edited message continues in
 * a fork. The metadata of the first session names the fork (`continuedBy`).
 */
export class ChatSessions {
  readonly #context: Pick<HandlerContext, 'runtime' | 'store' | 'models' | 'agents' | 'workspaces'>;

  constructor(context: Pick<HandlerContext, 'runtime' | 'store' | 'models' | 'agents' | 'workspaces'>) {
    this.#context = context;
  }

  async find(chatId: string): Promise<Session | undefined> {
    const first = await this.#first(chatId);
    const next = first?.metadata?.['continuedBy'];
    const continued = typeof next === 'string' ? await this.#context.store.getSession(next) : undefined;
    return continued ?? first;
  }

  /** @throws {LonghaulError} `unknown_agent`; `invalid_request` for a chat with another agent. */
  async findOrCreate(chatId: string, chat: NewChat): Promise<Session> {
    const session = (await this.find(chatId)) ?? (await this.#create(chatId, chat));
    assertAgent(session, chat.agent);
    return session;
  }

  /** Continues the chat in a new session that ends before the message. The previous session stays unchanged. */
  async goBack(chatId: string, session: Session, sequence: number): Promise<Session> {
    const { runtime, store } = this.#context;
    await runtime.cancel(session.id);
    const fork =
      sequence > 1
        ? await runtime.fork(session.id, { at: sequence - 1 })
        : await store.createSession({ ...newSession(session), id: newId(), createdAt: Date.now() });
    const first = (await this.#first(chatId)) ?? session;
    await store.updateSession(first.id, { metadata: { continuedBy: fork.id } });
    return fork;
  }

  async #first(chatId: string): Promise<Session | undefined> {
    const { store } = this.#context;
    return (await store.getSession(chatId)) ?? store.getSession(idOfChat(chatId));
  }

  async #create(chatId: string, { task, agent }: NewChat): Promise<Session> {
    const { store, models, agents, workspaces } = this.#context;
    const id = idOfChat(chatId);
    const workspace = await workspaces.resolve(undefined);
    const model = await models.resolve(agents.get(agent).model);
    const texts = { task: taskOf(task), title: defaultTitle(task) };
    try {
      return await store.createSession({
        id,
        createdAt: Date.now(),
        model,
        workspace,
        metadata: { chatId, ...(agent === undefined ? {} : { agent }) },
        ...texts,
      });
    } catch (error) {
      // Another request of the same chat created the session first.
      const known = await store.getSession(id);
      if (known !== undefined && error instanceof LonghaulError) return known;
      throw error;
    }
  }
}

/**
 * Checks that the request names the chat's own agent or none. Another agent has another prompt, other tools and another
 * model.
 *
 * @throws {LonghaulError} `invalid_request`
 */
export function assertAgent(session: Session, agent: string | undefined): void {
  const own = agentNameOf(session);
  if (agent === undefined || agent === own) return;
  throw new LonghaulError(
    'invalid_request',
    `This chat is with the agent "${own}", not "${agent}". Start a new chat for that agent.`,
  );
}

function newSession({ task, title, model, workspace, metadata }: Session) {
  return { task, title, model, workspace, metadata };
}

/** Returns a UUID of version 8, computed from the chat id. */
function idOfChat(chatId: string): string {
  const hex = createHash('sha256').update(`longhaul chat\n${chatId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
