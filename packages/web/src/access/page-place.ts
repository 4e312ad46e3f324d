/**
 * The path of the page without the slash at its end. Empty, except behind a proxy that serves it below a prefix. Then
 * the addresses of the server are below the same prefix. `public/early.js` computes it in the same way.
 */
export function pagePrefix(): string {
  return new URL('.', location.href).pathname.slice(0, -1);
}

/** The path of an address of the server, such as `/healthz`, as this page reaches it. */
export function serverPath(path: string): string {
  return pagePrefix() + path;
}

/** A name for stored data that other servers below the same host must not share. */
export function ownName(name: string): string {
  return name + pagePrefix();
}
