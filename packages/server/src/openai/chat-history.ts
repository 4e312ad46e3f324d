import { currentClaimant, type MessageDraft, newId, type Store, storedTokens } from '@longhaul/core';
import { isBlank, type Part, type Role } from '@longhaul/protocol';
import { type ClientMessage, textOf } from './chat-request.ts';

const LEASE_TTL_MS = 60_000;

/**
 * Appends the client's history to the session as text. Media are replaced by their type, tool results become
 * messages of the assistant, and tool calls are left out.
 */
export async function importHistory(
  store: Store,
  sessionId: string,
  messages: readonly ClientMessage[],
): Promise<void> {
  const drafts = messages.flatMap(toDraft);
  if (drafts.length === 0) return;
  const claim = { ...currentClaimant(), runId: newId(), ttlMs: LEASE_TTL_MS };
  const { lease } = await store.acquireLease(sessionId, claim);
  try {
    for (const draft of drafts) await store.appendMessage(lease, draft);
  } finally {
    const end = { status: 'completed', sessionStatus: 'active', onlyIfQueueEmpty: false } as const;
    await store.finishRun(lease, { ...end, events: [] });
  }
}

function toDraft(message: ClientMessage): MessageDraft[] {
  const text = [textOf(message), ...mediaOf(message)].filter((piece) => !isBlank(piece)).join('\n');
  if (text === '') return [];
  const isResult = message.role === 'tool' || message.role === 'function';
  const role: Role = message.role === 'assistant' || isResult ? 'assistant' : 'user';
  const parts: Part[] = [
    { type: 'text', state: 'done', text: isResult ? `[Result of a tool]\n${text}` : text },
  ];
  return [
    { id: newId(), role, parts, status: 'done', createdAt: Date.now(), tokenCount: storedTokens(parts) },
  ];
}

function mediaOf({ content }: ClientMessage): string[] {
  if (typeof content === 'string') return [];
  return (content ?? []).flatMap(({ type }) => (type === 'text' ? [] : [`[${type.slice(0, 50)}]`]));
}
