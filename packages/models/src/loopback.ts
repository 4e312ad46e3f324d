/** Returns whether only this machine can reach the host: an address without brackets, or `localhost`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Returns whether only this machine can reach the server at an address. */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}
