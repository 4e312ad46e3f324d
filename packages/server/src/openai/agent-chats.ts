import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedAgent } from '@longhaul/config';
import { defaultTitle, newId, taskOf } from '@longhaul/core';
import type { JsonObject, Session } from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';
import type { Access } from '../safety/access.ts';
import { ownedBy } from '../safety/session-gate.ts';
import type { ChatBook } from './chat-book.ts';
import { importHistory } from './chat-history.ts';
import { type ChatRequest, textOf } from './chat-request.ts';
import type { HistoryChain } from './history-chain.ts';

type Context = Pick<HandlerContext, 'runtime' | 'store' | 'runs' | 'workspaces' | 'openai'>;

export interface AgentChat {
  agent: NamedAgent;
  /** Whose chat it is. */
  access: Access;
  /** `provider/model` of the agent. */
  model: string;
  request: ChatRequest;
  /** The hashes of the request's history. */
  chain: HistoryChain;
  /** The client's id of the chat, or an empty string. */
  chatId: string;
  /** The chat id and the user, as far as the client sends them. */
  hint: string;
}

/** Finds or creates the session of a chat. */
export class AgentChats {
  readonly #context: Context;
  readonly #book: ChatBook;

  constructor(context: Context, book: ChatBook) {
    this.#context = context;
    this.#book = book;
  }

  find({ request, chain, hint }: AgentChat) {
    const exists = async (id: string) => (await this.#context.store.getSession(id)) !== undefined;
    return this.#book.find(request.history, { chain, hint, exists });
  }

  /**
   * Returns the session whose log is the request's history: the session that ends with it, a fork of a session that has
   * continued since, or a new session. The part of the history that no session has is appended as text.
   */
  async open(chat: AgentChat): Promise<Session> {
    const { history } = chat.request;
    const place = await this.find(chat);
    const session =
      place === undefined
        ? await this.#create(chat)
        : await this.#continue(chat, place.sessionId, place.sequence);
    await importHistory(this.#context.store, session.id, history.slice(place?.messages ?? 0));
    return session;
  }

  async #continue(chat: AgentChat, sessionId: string, sequence: number): Promise<Session> {
    const { runs } = this.#context;
    const isAtItsEnd = (await this.headOf(sessionId)) === sequence && !(await runs.isDriven(sessionId));
    const session = isAtItsEnd
      ? await runs.existing(sessionId)
      : await this.#fork(sessionId, { sequence, access: chat.access });
    return this.#refreshed(session, chat);
  }

  async #fork(
    sessionId: string,
    { sequence, access }: { sequence: number; access: Access },
  ): Promise<Session> {
    const { runtime, store } = this.#context;
    const { id } = await runtime.fork(sessionId, { at: sequence });
    return await store.updateSession(id, { metadata: ownedBy(access) });
  }

  /** Returns the sequence of the conversation's newest message, or 0 if there is none. */
  async headOf(sessionId: string): Promise<number> {
    const { messages } = await this.#context.store.readMessages(sessionId, { limit: 1, skipReverted: true });
    return messages[0]?.sequence ?? 0;
  }

  /** Updates the agent's model and the client's instructions, which may have changed since the last turn. */
  async #refreshed(session: Session, chat: AgentChat): Promise<Session> {
    const metadata = metadataOf(chat);
    const { instructions = null } = metadata;
    const isSame =
      session.model === chat.model && instructions === (session.metadata?.['instructions'] ?? null);
    if (isSame) return session;
    return this.#context.store.updateSession(session.id, {
      model: chat.model,
      metadata: { ...metadata, instructions },
    });
  }

  async #create(chat: AgentChat): Promise<Session> {
    const id = newId();
    const { history, newest } = chat.request;
    const first = [...history, ...newest].find(({ role }) => role === 'user');
    const task = first === undefined ? '' : textOf(first).trim();
    return this.#context.store.createSession({
      id,
      createdAt: Date.now(),
      task: taskOf(task),
      title: defaultTitle(task),
      model: chat.model,
      workspace: await this.#workspaceOf(id),
      metadata: { ...metadataOf(chat), ...ownedBy(chat.access) },
    });
  }

  async #workspaceOf(sessionId: string): Promise<string> {
    const { workspaces, openai } = this.#context;
    const root = await workspaces.resolve(undefined);
    if (openai.workspace === 'shared') return root;
    const own = join(root, 'chats', sessionId);
    await mkdir(own, { recursive: true });
    return workspaces.resolve(own);
  }
}

function metadataOf({ agent, request, hint }: AgentChat): JsonObject {
  const { instructions } = request;
  return {
    agent: agent.name,
    ...(hint === '' ? {} : { chat: hint }),
    ...(instructions === '' ? {} : { instructions }),
  };
}
