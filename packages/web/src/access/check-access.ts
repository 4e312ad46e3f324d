import { isObject, type JsonValue } from '@longhaul/protocol';
import { takeEarlyAnswer } from '../data/early-answers.ts';
import type { AccessPlace } from './access-place.ts';
import { serverPath } from './page-place.ts';

/** What the server says about a token or a code. */
export type AccessAnswer =
  | { kind: 'accepted'; token: string | undefined }
  | { kind: 'refused'; reason: string | undefined }
  | { kind: 'unreachable' };

/** Asks the server whether it accepts a token, or needs none. Uses no client: the server may be another program. */
export function checkAccess({ probe }: AccessPlace, token: string | undefined): Promise<AccessAnswer> {
  return answerOf(
    () => takeEarlyAnswer(serverPath(probe), token) ?? fetch(serverPath(probe), { headers: bearer(token) }),
    () => token,
  );
}

/**
 * Exchanges a one-time code, or the server's own token, for a token of the page. The server's own token is never kept.
 */
export function exchange(
  { signIn }: AccessPlace,
  proof: { code: string } | { serverToken: string },
): Promise<AccessAnswer> {
  const isCode = 'code' in proof;
  return answerOf(
    () =>
      fetch(serverPath(signIn), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(isCode ? {} : bearer(proof.serverToken)) },
        body: JSON.stringify(isCode ? { code: proof.code } : {}),
      }),
    tokenIn,
  );
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function answerOf(
  send: () => Promise<Response>,
  tokenOf: (body: JsonValue) => string | undefined,
): Promise<AccessAnswer> {
  try {
    const response = await send();
    const body: JsonValue = await response.json();
    if (response.ok) return { kind: 'accepted', token: tokenOf(body) };
    if (response.status < 400 || response.status >= 500) return { kind: 'unreachable' };
    return { kind: 'refused', reason: reasonIn(body) };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** @throws If the answer is not the one of this server. */
function tokenIn(body: JsonValue): string | undefined {
  const token = isObject(body) ? body['token'] : null;
  if (token !== undefined && typeof token !== 'string') throw new Error('The answer has an unknown format.');
  return token;
}

function reasonIn(body: JsonValue): string | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}
