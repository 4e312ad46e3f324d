/** Path of one session. The paths of its subresources start with it. */
export const SESSION = '/api/sessions/{sessionId}';

/** Media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';
