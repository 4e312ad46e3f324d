import type { LeaseHolder } from '@longhaul/core';
import { type EventPayload, isDurable, LonghaulError } from '@longhaul/protocol';

/** Errors that every store throws with the same texts. */

export function sessionNotFound(sessionId: string): LonghaulError {
  return new LonghaulError('session_not_found', `There is no session "${sessionId}" in this store.`, {
    data: { sessionId },
  });
}

export function noSuchMessage(sessionId: string, sequence: number, last: number): LonghaulError {
  return new LonghaulError(
    'not_found',
    `Session "${sessionId}" has no message m${sequence}: its messages are m1 to m${last}.`,
    { data: { sessionId, sequence, last } },
  );
}

export function sessionExists(sessionId: string): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    `A session with the id "${sessionId}" already exists. Use another id.`,
    {
      data: { sessionId },
    },
  );
}

/** The rows of a deleted session are removed in pieces. A new session with its id would get the remaining ones. */
export function sessionGoing(sessionId: string): LonghaulError {
  return new LonghaulError(
    'session_busy',
    `The session "${sessionId}" is being deleted. Retry when that is done, or use another id.`,
    { data: { sessionId } },
  );
}

export function sessionBusy(sessionId: string, holder: LeaseHolder): LonghaulError {
  const { pid, host } = holder.owner;
  return new LonghaulError(
    'session_busy',
    `Session "${sessionId}" is in use by run ${holder.runId} (process ${pid} on ${host}). ` +
      'Send the session a message, which is queued, or cancel that run first.',
    { data: { sessionId, pid, host, runId: holder.runId } },
  );
}

export function leaseLost(sessionId: string, runId: string): LonghaulError {
  return new LonghaulError(
    'lease_lost',
    `Run ${runId} no longer holds the lease of session "${sessionId}": it has ended, or another run took over. Nothing was stored.`,
    { data: { sessionId, runId } },
  );
}

export function queueFull(sessionId: string, pending: number, maxPending: number): LonghaulError {
  return new LonghaulError(
    'queue_full',
    `The queue of session "${sessionId}" is full: ${pending} of at most ${maxPending} messages are waiting. Retry after some are delivered.`,
    { data: { sessionId, pending, maxPending } },
  );
}

export function messageNotInSession(messageId: string, sessionId: string): LonghaulError {
  return new LonghaulError('internal', `Message "${messageId}" is not in session "${sessionId}".`);
}

export function idTaken(what: string, id: string): LonghaulError {
  return new LonghaulError('internal', `The ${what} id "${id}" is already in use.`);
}

export function partIsClosed(messageId: string, index: number): LonghaulError {
  return new LonghaulError(
    'internal',
    `Part ${index} of message "${messageId}" is closed and cannot be changed.`,
  );
}

export function partLeavesHole(messageId: string, index: number, count: number): LonghaulError {
  return new LonghaulError(
    'internal',
    `Message "${messageId}" has ${count} parts, so the next index is ${count}, not ${index}.`,
  );
}

export function storeClosed(): LonghaulError {
  return new LonghaulError('internal', 'The store was closed before this call.');
}

/** Throws for transient events. They have no number and are never stored, so passing one is a bug in the caller. */
export function assertDurable(events: readonly EventPayload[]): void {
  const transient = events.find((event) => !isDurable(event));
  if (transient === undefined) return;
  throw new LonghaulError('internal', `Events of type "${transient.type}" are not stored.`);
}
