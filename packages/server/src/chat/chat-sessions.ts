import { createHash } from 'node:crypto';
import { agentNameOf } from '@longhaul/config';
import { newId } from '@longhaul/core';
import { LonghaulError, type Session } from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';

interface NewChat {
  task: string;
  /** Of the configuration. Default: the one that sessions have. */
  agent: string | undefined;
}

/**
 * Which session a chat is. A chat's id is a session's own id, or any name: then its session's id is computed from it, so that two requests at
 * once cannot make two. An answer that is asked for anew, and a message that is changed, go on in a fork, which the first session names.
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

  /** @throws {LonghaulError} `unknown_agent`; `invalid_request` for a chat that is another agent's. */
  async findOrCreate(chatId: string, chat: NewChat): Promise<Session> {
    const session = (await this.find(chatId)) ?? (await this.#create(chatId, chat));
    assertAgent(session, chat.agent);
    return session;
  }

  /** The chat goes on in a session that ends before the message; the one until now stays as it is. */
  async goBack(chatId: string, session: Session, sequence: number): Promise<Session> {
    const { runtime, store } = this.#context;
    await runtime.cancel(session.id);
    const fork =
      sequence > 1
        ? await runtime.fork(session.id, { at: sequence - 1 })
        : await store.createSession({ ...newSession(session), id: newId(), createdAt: Date.now() });
    const first = (await this.#first(chatId)) ?? session;
    await store.updateSession(first.id, { metadata: { ...first.metadata, continuedBy: fork.id } });
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
    const line = task.trim().split('\n')[0] ?? '';
    const texts = { task: task.slice(0, 2_000), title: line === '' ? 'Chat' : line.slice(0, 80) };
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
      // Another request of the chat was faster.
      const known = await store.getSession(id);
      if (known !== undefined && error instanceof LonghaulError) return known;
      throw error;
    }
  }
}

/** An agent has its prompt, its tools and its model: what was said with one is not gone on with by another unawares. */
export function assertAgent(session: Session, agent: string | undefined): void {
  const own = agentNameOf(session);
  if (agent === undefined || agent === own) return;
  throw new LonghaulError(
    'invalid_request',
    `This chat is with the agent "${own}", not "${agent}". Begin another chat with that one.`,
  );
}

function newSession({ task, title, model, workspace, metadata }: Session) {
  return { task, title, model, workspace, ...(metadata === undefined ? {} : { metadata }) };
}

/** A UUID of version 8, made of the name. */
function idOfChat(chatId: string): string {
  const hex = createHash('sha256').update(`longhaul chat\n${chatId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
