/** Asks the server whether it accepts a token. Uses no client: the server may be another program. */
export async function checkAccess(
  token: string | undefined,
): Promise<'accepted' | 'refused' | 'unreachable'> {
  try {
    const response = await fetch('/api/sessions?limit=1', {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    if (response.ok) return 'accepted';
    return response.status === 401 || response.status === 403 ? 'refused' : 'unreachable';
  } catch {
    return 'unreachable';
  }
}

/** Exchanges a one-time code for a token. Undefined if the code has expired or was used before. */
export async function exchangeCode(code: string): Promise<string | undefined> {
  try {
    const response = await fetch('/api/page/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (!response.ok) return undefined;
    const { token }: { token?: unknown } = await response.json();
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
