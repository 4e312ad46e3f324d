import { inSession, type KnownNames } from './known-names.ts';
import type { FuzzRequest } from './make-request.ts';

/** A session, and a call or a waiting message in it. */
const NAMED = /^\/api\/sessions\/([^/?]+)(?:\/(approvals|queue)\/([^/?]+))?/;
const KINDS: Readonly<Record<string, string>> = { approvals: 'callId', queue: 'queuedId' };
/** Lists of everything of a kind in a session. */
const COMPLETE: Readonly<Record<string, string>> = { listApprovals: 'callId', listSessionQueue: 'queuedId' };

/** Collects the names that an answer shows, and forgets those that do not exist any more. */
export function learnNames(
  known: KnownNames,
  { operationId, path, body }: FuzzRequest,
  { response, text }: { response: Response; text: string },
): void {
  const { named, kind, name } = namesIn(path);
  const isOver = response.ok ? operationId !== 'editQueued' : response.status === 404;
  if (named !== undefined && kind !== undefined && isOver) known.forget(inSession(kind, named), name);
  if (!response.ok) return;
  if (operationId === 'exportSession') known.addExport(text);
  if (operationId === 'deleteSession' && named !== undefined) known.forget('sessionId', named);
  if (operationId === 'sendMessage' && named !== undefined) known.add(inSession('sent', named), 'yes');
  if (!isLearned(operationId, response)) return;
  const session = named ?? sessionOf(body);
  // These lists are complete, so what they lack no longer exists.
  const complete = COMPLETE[operationId];
  if (complete !== undefined && session !== undefined) known.clear(inSession(complete, session));
  known.learn(JSON.parse(text), session);
}

/** The names in an export are those of another session after its import. */
function isLearned(operationId: string, { headers }: Response): boolean {
  const isJson = headers.get('content-type')?.includes('json') === true;
  return isJson && operationId !== 'openapi' && operationId !== 'exportSession';
}

/** The session in a path, and the name of a call or a waiting message in it. */
function namesIn(path: string): { named?: string; kind?: string | undefined; name: string } {
  const [, named, kind = '', name = ''] = NAMED.exec(path) ?? [];
  if (named === undefined) return { name };
  return { named: decoded(named), kind: KINDS[kind], name: decoded(name) };
}

/** A lone surrogate stays encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The session that a body names. */
function sessionOf(body: FuzzRequest['body']): string | undefined {
  return typeof body === 'string' ? /"sessionId":"([^"]+)"/.exec(body)?.[1] : undefined;
}
