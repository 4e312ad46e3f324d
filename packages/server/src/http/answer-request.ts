import type { ApiRoute, OperationName } from '@longhaul/protocol/api';
import type { CallerReader } from '../safety/forwarded-caller.ts';
import type { Guard } from '../safety/guard.ts';
import type { SessionGate } from '../safety/session-gate.ts';
import type { ServerLimits } from '../server-options.ts';
import type { Audit } from './audit.ts';
import { assertSession, authorized } from './authorize.ts';
import { parseRequest } from './parse-request.ts';
import { type AppContext, allHeaders, succeeded, withHeaders } from './responses.ts';
import type { RouteHandlers } from './route-handler.ts';
import { assertOffered, type ServerRole } from './server-role.ts';

/** What the answers to all requests need. */
export interface AnswerOptions {
  handlers: RouteHandlers;
  guard: Guard;
  callerOf: CallerReader;
  audit: Audit;
  gate: SessionGate;
  limits: ServerLimits;
  role: ServerRole;
  mask: (text: string) => string;
}

/** Checks a request of an operation, lets its handler answer it, and writes it to the audit. */
export async function answerRequest(
  context: AppContext,
  options: AnswerOptions & { name: OperationName; route: ApiRoute },
): Promise<Response> {
  const { name, route, guard, handlers, callerOf } = options;
  const { incoming, outgoing } = context.env;
  const caller = callerOf(incoming);
  const given = context.get('access');
  const entry = options.audit({ name, requestId: context.get('requestId'), access: given, caller });
  const clientLeft = new AbortController();
  const onClose = () => {
    if (!outgoing.writableFinished) clientLeft.abort();
  };
  outgoing.once('close', onClose);
  try {
    const access = authorized(given, options);
    assertOffered(name, options.role);
    const request = await parseRequest(name, route, {
      incoming,
      params: context.req.param(),
      url: context.req.url,
      limits: options.limits,
    });
    entry.noteRequest(request);
    await assertSession(access, request, options);
    // The request was parsed with the schemas of this operation, so it has the type that its handler takes.
    const handler = handlers[name] as (request: unknown) => Promise<unknown>;
    const value = await handler({
      ...request,
      access,
      caller,
      isStillValid: () => guard.isStillValid(caller, access),
      noteSession: entry.noteSession,
      signal: clientLeft.signal,
      raw: { method: context.req.method, incoming, outgoing, headers: allHeaders(context) },
    });
    entry.done(value);
    return value instanceof Response
      ? withHeaders(context, value)
      : succeeded(context, { route, value, mask: options.mask });
  } catch (error) {
    entry.failed(error);
    throw error;
  } finally {
    outgoing.off('close', onClose);
  }
}
