import assert from 'node:assert/strict';
import type { Lease, LeaseOwner, MessageDraft, NewSession, Store } from '@longhaul/core';
import {
  type ErrorCode,
  LonghaulError,
  type Message,
  type Part,
  type QueuedMessage,
  type TextPart,
} from '@longhaul/protocol';

/** Rows for store tests. Tests pass ids explicitly, so that their expectations can name them. */

/** Opens a new, empty store for one test. `now` is the store's clock, `uptime` the uptime of its machine. */
export type OpenStore = (options?: { now?: () => number; uptime?: () => number }) => Promise<Store>;

export const OWNER: LeaseOwner = { host: 'here', bootId: 'boot-1', pid: 4242, processStartedAt: '17' };

export function newSession(id: string, fields: Partial<NewSession> = {}): NewSession {
  const texts = { task: 'Build it', title: 'Build', model: 'scripted/one', workspace: '/work' };
  return { id, createdAt: 1, ...texts, ...fields };
}

export function text(value: string, state: 'running' | 'done' = 'done'): TextPart {
  return { type: 'text', text: value, state };
}

export function draft(id: string, parts: Part[] = [], fields: Partial<MessageDraft> = {}): MessageDraft {
  const status: Message['status'] = parts.length > 0 ? 'done' : 'running';
  return { id, role: 'assistant', parts, status, createdAt: 2000, tokenCount: 7, ...fields };
}

export function queued(id: string, value = id): QueuedMessage {
  return { id, content: [{ type: 'text', text: value }], queuedAt: 3000 };
}

/** Acquires the session's lease for a run with a living owner. */
export async function acquire(
  store: Store,
  sessionId: string,
  runId = `run-of-${sessionId}`,
): Promise<Lease> {
  const options = { runId, owner: OWNER, ttlMs: 60_000, isAlive: () => true };
  return (await store.acquireLease(sessionId, options)).lease;
}

/** Creates a session and acquires its lease. */
export async function heldSession(store: Store, sessionId = 's1'): Promise<Lease> {
  await store.createSession(newSession(sessionId));
  return acquire(store, sessionId);
}

/** Waits for a refusal with this code, and returns it. */
export async function refused(promise: Promise<unknown>, code: ErrorCode): Promise<LonghaulError> {
  const outcome = await promise.then(
    () => assert.fail(`Expected a refusal with code ${code}, but the call succeeded.`),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof LonghaulError, `Expected a LonghaulError, got ${outcome}`);
  assert.equal(outcome.code, code);
  return outcome;
}
