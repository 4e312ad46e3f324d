import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { draftUserMessage } from '@longhaul/core';
import {
  type Approval,
  LonghaulError,
  type Message,
  originOf,
  type Session,
  toLonghaulError,
} from '@longhaul/protocol';
import type { ChatBody } from '@longhaul/protocol/api';
import { assertBlobs } from '../handlers/assert-blobs.ts';
import type { HandlerContext } from '../handlers/handler-context.ts';
import type { RouteHandlers, RouteRequest } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import { approvalsOf, contentOf, lastEventOf, type UiApproval } from './chat-content.ts';
import { ChatReader } from './chat-reader.ts';
import { assertAgent, ChatSessions } from './chat-sessions.ts';
import { ChatTurns } from './chat-turns.ts';
import { answerId, uiHistory } from './ui-history.ts';
import { UiTranslator } from './ui-translator.ts';

type UiMessage = ChatBody['messages'][number];
type StreamRequest = Pick<RouteRequest<'chat'>, 'raw' | 'access' | 'isStillValid' | 'noteSession'>;

/** An answer to stream: the events after a number, as one UI message. */
interface Answer {
  sessionId: string;
  after: number;
  translator: UiTranslator;
  /** Called if the page disconnects before the answer is complete. */
  onLeft?: () => Promise<unknown>;
  /** Called when the stream closes, whether the answer is complete or not. */
  onClosed?: () => void;
}

/**
 * Handlers for `useChat` of the AI SDK. The session stores the conversation, so only the new part of each request is
 * used.
 */
export function chatHandlers(
  context: HandlerContext,
): Pick<RouteHandlers, 'chat' | 'chatMessages' | 'chatStream'> {
  const { runtime, store, blobs, runs, feeds, gate, failed } = context;
  const sessions = new ChatSessions(context);
  const turns = new ChatTurns({ store, runs });
  /**
   * Cancels in progress, after pages have disconnected. The next message must wait for them: otherwise it is queued
   * behind a run that ends without delivering it.
   */
  const cancels = new Map<string, Promise<unknown>>();
  /** Ids of messages whose answers are being streamed to pages. */
  const awaited = new Set<string>();

  return {
    async chat(request) {
      const { body, access } = request;
      const last = body.messages.findLast(({ role }) => role !== 'system');
      if (last === undefined)
        throw new LonghaulError(
          'invalid_request',
          'messages must contain at least one user or assistant message.',
        );
      const isApproval = last.role === 'assistant' && body.trigger === 'submit-message';
      await stream(
        isApproval ? await answerApprovals(body, last, access) : await send(body, access),
        request,
      );
      return RESPONSE_ALREADY_SENT;
    },

    async chatMessages({ params: { chatId }, query: { limit, before }, access }) {
      const session = await sessions.find(chatId, { access, need: 'see' });
      if (session === undefined) return { messages: [] };
      const { id: sessionId } = session;
      const page = await store.readMessages(sessionId, { limit: limit + 1, before, skipReverted: true });
      const messages = page.messages.slice(-limit);
      const approvals = await runtime.approvals.list(sessionId);
      const next = page.messages.length > limit ? messages[0]?.sequence : undefined;
      const queued = before === undefined ? await turns.next(sessionId) : [];
      const undelivered = queued.filter((message) => originOf(message) === undefined);
      const waiting = undelivered.length === 0 ? undefined : draftUserMessage(undelivered);
      return { sessionId, messages: uiHistory(messages, { sessionId, approvals, waiting }), next };
    },

    async chatStream(request) {
      const { chatId } = request.params;
      const session = await sessions.find(chatId, { access: request.access, need: 'see' });
      const turn = session === undefined ? undefined : await turns.underWay(session.id);
      if (session === undefined || turn === undefined) return new Response(null, { status: 204 });
      const { awaits, after } = turn;
      const translator = new UiTranslator({ sessionId: session.id, awaits, messageId: answerId(awaits) });
      await stream({ sessionId: session.id, after, translator }, request);
      return RESPONSE_ALREADY_SENT;
    },
  };

  async function send(body: ChatBody, access: Access): Promise<Answer> {
    const message = body.messages.findLast(({ role }) => role === 'user');
    if (message === undefined)
      throw new LonghaulError('invalid_request', 'messages must contain a user message.');
    const content = contentOf(message);
    const known = await sessions.find(body.id, { access, need: 'work' });
    await assertBlobs(content, { blobs, store, sessionId: known?.id, access });
    const task = content.find((part) => part.type === 'text')?.text ?? '';
    const session = await currentSession(body, message, { task, access });
    const { id: sessionId } = session;
    await cancels.get(sessionId);
    const before = await store.lastEventNumber(sessionId);
    await runs.send(sessionId, { content, id: message.id });
    const after = await turns.beforeQueueing(sessionId, message.id, before);
    const translator = new UiTranslator({
      sessionId,
      awaits: message.id,
      messageId: answerId(message.id),
      isTakenUp: () => cancels.has(sessionId),
    });
    const cancel = () =>
      translator.isStarted ? runtime.cancel(sessionId) : runtime.queue.remove(sessionId, message.id);
    awaited.add(message.id);
    const onClosed = () => awaited.delete(message.id);
    const onLeft = body.onDisconnect === 'cancel' ? cancel : undefined;
    return { sessionId, after, translator, onClosed, onLeft };
  }

  /**
   * Returns the session of the chat. If the page goes back to an earlier message, this is a new session that ends
   * before that message.
   */
  async function currentSession(
    body: ChatBody,
    message: UiMessage,
    { task, access }: { task: string; access: Access },
  ): Promise<Session> {
    const session = await sessions.findOrCreate(body.id, { task, agent: body.agent, access });
    if (body.trigger !== 'regenerate-message' && body.messageId !== message.id) return session;
    // The view includes hidden messages with their ids.
    const { messages } = await store.loadView(session.id);
    const known = messages.find((candidate) => isFrom(candidate, message.id));
    return known === undefined
      ? session
      : sessions.goBack(body.id, session, { sequence: known.sequence, access });
  }

  /** Stores the user's answers to approval requests, and streams the rest of the answer into the same UI message. */
  async function answerApprovals(body: ChatBody, message: UiMessage, access: Access): Promise<Answer> {
    const session = await sessions.find(body.id, { access, need: 'work' });
    if (session === undefined)
      throw new LonghaulError(
        'session_not_found',
        'This chat has no session yet. Send a user message first.',
      );
    assertAgent(session, body.agent);
    const { id: sessionId } = session;
    const after = lastEventOf(message) ?? (await store.lastEventNumber(sessionId));
    const open = await runtime.approvals.list(sessionId, { open: true });
    const waiting = open.map(({ callId }) => callId);
    for (const given of approvalsOf(message)) {
      const request = open.find(({ handle }) => handle === given.handle);
      if (request !== undefined) await answer(request, given);
    }
    if (!(await runs.isDriven(sessionId))) await runs.start(sessionId);
    const translator = new UiTranslator({ sessionId, waiting });
    const onLeft = body.onDisconnect === 'cancel' ? () => runtime.cancel(sessionId) : undefined;
    return { sessionId, after, translator, onLeft };
  }

  /** Answers a request. If it was answered in the meantime, the stream shows that answer. */
  async function answer(
    { sessionId, callId, handle }: Approval,
    { approved, reason }: UiApproval,
  ): Promise<void> {
    try {
      const given = { handle, answer: approved ? 'once' : 'deny', reason } as const;
      await runtime.approvals.answer(sessionId, callId, given);
    } catch (error) {
      if (toLonghaulError(error).code !== 'not_found') throw error;
    }
  }

  async function stream(
    { sessionId, after, translator, onLeft, onClosed }: Answer,
    { raw: { outgoing, headers }, access, isStillValid, noteSession }: StreamRequest,
  ): Promise<void> {
    noteSession(sessionId);
    const mayRead = async () => (await isStillValid()) && (await gate.sees(access, sessionId));
    let reader: ChatReader | undefined;
    await feeds.openReader(sessionId, { after, mayRead }, (onClose) => {
      reader = new ChatReader(outgoing, {
        translator,
        headers,
        room: feeds.room,
        onClose: () => {
          onClosed?.();
          onClose();
        },
        onLeft: () => cancelOf(sessionId, onLeft),
      });
      return reader;
    });
    if (!translator.isEnded && reader !== undefined) await closeUnlessComing(reader, sessionId, after);
  }

  /** Ends the stream if no event will end it. Does not throw, because the stream's status is sent already. */
  async function closeUnlessComing(reader: ChatReader, sessionId: string, after: number): Promise<void> {
    try {
      if (!(await willEnd(sessionId, after))) reader.close('other');
    } catch (error) {
      feeds.fail(reader, error);
    }
  }

  /** Whether the answer will end with an event: the session is held, or a `run:finished` event is already stored. */
  async function willEnd(sessionId: string, after: number): Promise<boolean> {
    if (await runs.isHeld(sessionId)) return true;
    const events = await store.readEvents(sessionId, { after });
    return events.some(({ type }) => type === 'run:finished');
  }

  function cancelOf(sessionId: string, cancel: Answer['onLeft']): void {
    if (cancel === undefined) return;
    const ended = cancel()
      .then(() => takeUp(sessionId))
      .catch((error: unknown) => failed('cancelling the run of a disconnected page', error))
      .finally(() => {
        if (cancels.get(sessionId) === ended) cancels.delete(sessionId);
      });
    cancels.set(sessionId, ended);
  }

  /** Starts a run for messages that arrived before the cancel ended. Their pages wait for an answer. */
  async function takeUp(sessionId: string): Promise<void> {
    const waiting = await store.listQueue(sessionId);
    if (waiting.some(({ id }) => awaited.has(id))) await runs.start(sessionId);
  }
}

function isFrom({ role, metadata }: Message, id: string): boolean {
  return role === 'user' && metadata?.originalMessages?.includes(id) === true;
}
