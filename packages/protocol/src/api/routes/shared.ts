/** Path of one session; what belongs to it stands below. */
export const SESSION = '/api/sessions/{sessionId}';

/** What server-sent events are. */
export const EVENT_STREAM = 'text/event-stream';
