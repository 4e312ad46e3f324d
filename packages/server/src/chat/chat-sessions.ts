import { createHash } from 'node:crypto';
import { agentNameOf } from '@longhaul/config';
import { defaultTitle, newId, taskOf } from '@longhaul/core';
import { ADMIN_NAME, accessMetadata, accessOf, LonghaulError, type Session } from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';
import type { Access, SessionNeed } from '../safety/access.ts';
import { ownedBy } from '../safety/session-gate.ts';

interface NewChat {
  task: string;
  /** Name of a configured agent. Default: the default agent of sessions. */
  agent: string | undefined;
  access: Access;
}

interface Finder {
  access: Access;
  /** What the request does with the session. */
  need: SessionNeed;
}

/**
 * Maps chats to sessions. A chat id is either a session id or any name. For a name, the session id is computed from it,
 * so that two simultaneous requests cannot create two sessions, and each token has its own names. A regenerated answer or an edited message continues in
 * a fork. The metadata of the first session names the fork (`continuedBy`).
 */
export class ChatSessions {
  readonly #context: Pick<HandlerContext, 'runtime' | 'store' | 'models' | 'agents' | 'workspaces' | 'gate'>;

  constructor(
    context: Pick<HandlerContext, 'runtime' | 'store' | 'models' | 'agents' | 'workspaces' | 'gate'>,
  ) {
    this.#context = context;
  }

  /** @throws {LonghaulError} `session_not_found`, `forbidden` for a session that the token may not use like this. */
  async find(chatId: string, { access, need }: Finder): Promise<Session | undefined> {
    const first = await this.#first(chatId, access);
    const next = first?.metadata?.['continuedBy'];
    const continued = typeof next === 'string' ? await this.#context.store.getSession(next) : undefined;
    const session = continued ?? first;
    if (session !== undefined) await this.#context.gate.assert(access, session.id, need);
    return session;
  }

  /** @throws {LonghaulError} `unknown_agent`; `invalid_request` for a chat with another agent. */
  async findOrCreate(chatId: string, chat: NewChat): Promise<Session> {
    const found = await this.find(chatId, { access: chat.access, need: 'work' });
    const session = found ?? (await this.#create(chatId, chat));
    assertAgent(session, chat.agent);
    return session;
  }

  /** Continues the chat in a new session that ends before the message. The previous session stays unchanged. */
  async goBack(
    chatId: string,
    session: Session,
    { sequence, access }: { sequence: number; access: Access },
  ): Promise<Session> {
    const { runtime, store } = this.#context;
    await runtime.cancel(session.id);
    const fork =
      sequence > 1
        ? await runtime.fork(session.id, { at: sequence - 1 })
        : await store.createSession({ ...newSession(session), id: newId(), createdAt: Date.now() });
    await store.updateSession(fork.id, { metadata: accessMetadata(accessOf(session)) });
    const first = (await this.#first(chatId, access)) ?? session;
    await store.updateSession(first.id, { metadata: { continuedBy: fork.id } });
    return fork;
  }

  async #first(chatId: string, access: Access): Promise<Session | undefined> {
    const { store } = this.#context;
    return (await store.getSession(chatId)) ?? store.getSession(idOfChat(chatId, access));
  }

  async #create(chatId: string, { task, agent, access }: NewChat): Promise<Session> {
    const { store, models, agents, workspaces } = this.#context;
    const id = idOfChat(chatId, access);
    const workspace = await workspaces.resolve(undefined);
    const model = await models.resolve(agents.get(agent).model);
    const texts = { task: taskOf(task), title: defaultTitle(task) };
    try {
      return await store.createSession({
        id,
        createdAt: Date.now(),
        model,
        workspace,
        metadata: { chatId, ...(agent === undefined ? {} : { agent }), ...ownedBy(access) },
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

/** Returns a UUID of version 8, computed from the chat id and its owner. */
function idOfChat(chatId: string, { name }: Access): string {
  const owner = name === ADMIN_NAME ? '' : ` of ${name}`;
  const hex = createHash('sha256').update(`longhaul chat${owner}\n${chatId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
