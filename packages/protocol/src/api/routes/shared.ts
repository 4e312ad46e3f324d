/**
 * Media types of a recorded session. Not `text/plain`: a page of another site can send it without a CORS preflight
 * request.
 */
export const RECORDED_FILE = ['application/octet-stream', 'application/json', 'application/x-ndjson'];

/** Media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';
