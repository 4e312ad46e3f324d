import { ownName } from './page-place.ts';

/**
 * The token of this tab. It is kept in sessionStorage, which other origins and other ports cannot read, and which ends
 * with the tab. A cookie would also be sent to other ports of this machine.
 */
const key = () => ownName('longhaul-token');

export function storedToken(): string | undefined {
  return sessionStorage.getItem(key()) ?? undefined;
}

export function storeToken(token: string): void {
  sessionStorage.setItem(key(), token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(key());
}

/** Returns the one-time code of the address, such as `#code=…`, and removes it from the address and the history. */
export function takeCode(): string | undefined {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}`);
  return code;
}

/** A token is one word of visible ASCII characters: a header can contain nothing else. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
