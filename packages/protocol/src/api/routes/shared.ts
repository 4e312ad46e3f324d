/** Path of one session, and prefix of the paths of its parts. */
export const SESSION = '/api/sessions/{sessionId}';

/** The media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';
