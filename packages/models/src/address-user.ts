/** `fetch` refuses an address with a user and a password. Returns the request with them in its `Authorization` header. */
export function withUserAsHeader(
  input: Parameters<typeof globalThis.fetch>[0],
  init?: RequestInit,
): Parameters<typeof globalThis.fetch> {
  if (input instanceof Request) return [input, init];
  const url = new URL(input);
  const { username, password } = url;
  if (username === '' && password === '') return [input, init];
  url.username = '';
  url.password = '';
  const headers = new Headers(init?.headers);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  // A key that is set apart from the address takes precedence.
  if (!headers.has('authorization'))
    headers.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`);
  return [url, { ...init, headers }];
}
