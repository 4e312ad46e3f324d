import { isObject, toLonghaulError } from '@longhaul/protocol';
import { API_ROUTES, type OperationName } from '@longhaul/protocol/api';
import type { Logger } from 'pino';
import type { Access } from '../safety/access.ts';
import type { Caller } from '../safety/guard.ts';
import { namedSessions, type RequestParts } from './authorize.ts';

/** Who calls an operation. */
export interface AuditedCall {
  name: OperationName;
  requestId: string;
  /** Undefined: the request has no valid token. */
  access: Access | undefined;
  caller: Pick<Caller, 'address'>;
}

/** Collects what one request changes, for its line. */
export interface AuditEntry {
  /** Notes a session that the request does not name itself. */
  noteSession(sessionId: string): void;
  /** Notes the request, once it is parsed. */
  noteRequest(request: RequestParts): void;
  /** Writes the line. @param outcome What the handler returned. */
  done(outcome: unknown): void;
  failed(error: unknown): void;
}

/** Writes a line for each request that changes something or signs a page in, also for a refused one. */
export type Audit = (call: AuditedCall) => AuditEntry;

/**
 * Creates the audit. A line has no content of messages. It is written at every level of the log except `silent`.
 *
 * @param log The log of the server.
 */
export function createAudit(log: Logger): Audit {
  const lines = log.level === 'silent' ? log : log.child({}, { level: 'info' });
  return ({ name, requestId, access, caller }) => {
    let sessionId: string | undefined;
    const write = (rest: { code?: string }) => {
      if (API_ROUTES[name].method === 'GET') return;
      const who = { token: access?.name, scope: access?.scope, address: caller.address };
      lines.info({ audit: true, ...who, operation: name, sessionId, requestId, ...rest }, 'audit');
    };
    return {
      noteSession(id) {
        sessionId = id;
      },
      noteRequest(request) {
        [sessionId] = namedSessions(request);
      },
      done(outcome) {
        sessionId ??= createdSession(name, outcome);
        write({});
      },
      failed: (error) => write({ code: toLonghaulError(error).code }),
    };
  };
}

/** The session that an operation has created. */
function createdSession(name: OperationName, outcome: unknown): string | undefined {
  if (!isObject(outcome)) return undefined;
  const id = name === 'createSession' ? outcome['id'] : outcome['sessionId'];
  return typeof id === 'string' ? id : undefined;
}
