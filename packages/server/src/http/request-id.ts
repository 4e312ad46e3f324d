import { randomUUID } from 'node:crypto';

/** A proxy's id, or the id of a trace. Anything else could forge lines of a log, or hide among others. */
const SANE = /^[\w.:+/=-]{8,128}$/;

/** The id of a request in its response and in the log: that of the client or proxy if it is sane, else a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && SANE.test(given) ? given : randomUUID();
}
