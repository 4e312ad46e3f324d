import type { Access } from '../access/access.ts';
import { bearer } from '../access/check-access.ts';
import type { Connection } from './connection.ts';
import { takeEarlyAnswer } from './early-answers.ts';

/**
 * Sends requests with the token of this tab. If the server no longer accepts it, a request waits for another token and
 * is then sent again: nothing that the page does fails for this reason.
 */
export function authorizedFetch(access: Access, connection: Connection): typeof fetch {
  return async (input, init = {}) => {
    for (;;) {
      await access.whenOpen(init.signal);
      const { token } = access;
      const headers = { ...Object.fromEntries(new Headers(init.headers)), ...bearer(token) };
      const early = init.method === 'GET' ? takeEarlyAnswer(String(input), token) : undefined;
      const response = await connection.watch(early ?? fetch(input, { ...init, headers }), init.signal);
      if (response.status !== 401) return response;
      access.refuse(token);
    }
  };
}
