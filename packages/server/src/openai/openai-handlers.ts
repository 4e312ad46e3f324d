import { randomUUID } from 'node:crypto';
import { ADMIN_NAME, type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';
import { toOpenAiFailure } from '../http/error-response.ts';
import type { RouteHandlers, RouteRequest } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import { type AgentChat, AgentChats } from './agent-chats.ts';
import { agentOfModel, modelIdOf } from './agent-models.ts';
import { takeTurn } from './agent-turn.ts';
import type { AnswerPiece } from './answer-text.ts';
import { ChatBook } from './chat-book.ts';
import { ChatLocks } from './chat-locks.ts';
import { readChatRequest } from './chat-request.ts';
import { type CompletionSink, streamSink, wholeSink } from './completion-sink.ts';
import type { CompletionEnd } from './completion-wire.ts';
import { HistoryChain } from './history-chain.ts';
import { answerAside } from './side-answer.ts';

type Names = 'listAgentModels' | 'getAgentModel' | 'chatCompletion';
type Request = RouteRequest<'chatCompletion'>;

/** Handlers of the OpenAI API: each agent is a model, and each completion is a whole turn of the agent. */
export function openAiHandlers(context: HandlerContext): Pick<RouteHandlers, Names> {
  const { runtime, agents, models, runs, mask, limits, openai } = context;
  const book = new ChatBook(context.chats);
  const chats = new AgentChats(context, book);
  const locks = new ChatLocks();
  const created = Math.floor(Date.now() / 1_000);
  const modelOf = (id: string) => ({ id, object: 'model' as const, created, owned_by: 'longhaul' });

  return {
    listAgentModels: async () => ({
      object: 'list',
      data: agents.list().map((agent) => modelOf(modelIdOf(agent))),
    }),

    getAgentModel: async ({ params }) => modelOf(modelIdOf(agentOfModel(agents, params.model))),

    async chatCompletion(given) {
      const agent = agentOfModel(agents, given.body.model);
      const request = readChatRequest(given.body);
      runs.assertOpen();
      const model = await models.resolve(agent.model);
      const { access } = given;
      const driver = runtime.spending.metered(await models.driverFor(model, given.signal), access.name);
      await runtime.spending.assertLeft(access.name);
      const sink = sinkFor(given);
      try {
        if (request.isAside) {
          const write = openingWriter(sink);
          return sink.finish(await answerAside(driver, request, { signal: given.signal, write }));
        }
        const chain = new HistoryChain(chainStart(agent.name, access), request.history);
        const chat = { agent, model, request, chain, access, ...namesOf(given) };
        const isStreamed = given.body.stream === true;
        return await answer(chat, sink, { signal: given.signal, isStreamed, noteSession: given.noteSession });
      } catch (error) {
        return sink.fail(toLonghaulError(error));
      }
    },
  };

  async function answer(
    chat: AgentChat,
    sink: CompletionSink,
    { noteSession, ...client }: Pick<Request, 'signal' | 'noteSession'> & { isStreamed: boolean },
  ): Promise<Response> {
    const key = await lockKey(chat);
    // The wait may be long, so the response starts now and gets heartbeats.
    if (locks.isHeld(key)) sink.open();
    using _turn = await locks.take(key, client.signal);
    const session = await chats.open(chat);
    noteSession(session.id);
    await runtime.spending.assertLeft(session);
    sink.open(session.id);
    let text = '';
    const write = (piece: AnswerPiece) => {
      if (piece.kind === 'content') text += piece.text;
      sink.write(piece);
    };
    const { content } = chat.request;
    let end: CompletionEnd;
    try {
      end = await takeTurn(context, { sessionId: session.id, content, ...client, write });
    } finally {
      // Stored before the response ends, because the client may continue at once. An incomplete answer is stored too,
      // because the client may send it back.
      if (text !== '') await remember(chat, session.id, text);
    }
    return sink.finish(end);
  }

  async function remember(chat: AgentChat, sessionId: string, text: string): Promise<void> {
    const chain = chat.chain.add(...chat.request.newest, { role: 'assistant', content: text });
    await book.remember(chain, chat.hint, { sessionId, sequence: await chats.headOf(sessionId) });
  }

  /**
   * Returns the key of the lock for one turn at a time: the chat id if the client sends one, or else the id of the
   * known session, or else the hash of the conversation.
   */
  async function lockKey(chat: AgentChat): Promise<string> {
    const start = chainStart(chat.agent.name, chat.access);
    if (chat.chatId !== '') return `${start}\n${chat.hint}`;
    const place = await chats.find(chat);
    return (
      place?.sessionId ?? new HistoryChain(start, [...chat.request.history, ...chat.request.newest]).last
    );
  }

  function sinkFor({ body, raw }: Request): CompletionSink {
    const id = `chatcmpl-${randomUUID().replaceAll('-', '')}`;
    const head = { id, created: Math.floor(Date.now() / 1_000), model: body.model };
    const response = {
      head,
      activity: openai.activity,
      outgoing: raw.outgoing,
      headers: raw.headers,
      errorBody: (error: LonghaulError) => toOpenAiFailure(error, mask).body,
      heartbeatMs: limits.heartbeatMs,
    };
    if (body.stream !== true) return wholeSink(response);
    return streamSink({
      ...response,
      maxBufferBytes: limits.readerBufferBytes,
      includesUsage: body.stream_options?.include_usage === true,
    });
  }
}

/** The beginning of a conversation's hashes. Each token has its own conversations, also with equal texts. */
function chainStart(agent: string, { name }: Access): string {
  return name === ADMIN_NAME ? agent : `${agent}\n${name}`;
}

/** Starts the response with the first piece, so an earlier failure gets its own HTTP status. */
function openingWriter(sink: CompletionSink): (piece: AnswerPiece) => void {
  return (piece) => {
    sink.open();
    sink.write(piece);
  };
}

/** Returns the identifiers of the chat that the client sends besides its messages. */
function namesOf({ headers, body }: Request): Pick<AgentChat, 'chatId' | 'hint'> {
  const chatId = headers['x-openwebui-chat-id'] ?? '';
  return { chatId, hint: [chatId, body.user ?? ''].filter((name) => name !== '').join('\n') };
}
