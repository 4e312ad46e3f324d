import type { Approval, LonghaulEvent } from '@longhaul/protocol';
import type {
  AnswerApprovalBody,
  BodyInputOf,
  OperationName,
  QueryInputOf,
  ResponseOf,
  UserContent,
} from '@longhaul/protocol/api';
import { Caller, type CallInput } from './caller.ts';
import type { ClientOptions } from './client-options.ts';
import { type EventStreamOptions, readEvents } from './event-stream.ts';

export interface CallOptions {
  signal?: AbortSignal;
}

export interface SendOptions extends CallOptions {
  /** Sent again, the message is stored once and answered as at first. Default: a new one for each call. */
  idempotencyKey?: string;
  metadata?: BodyInputOf<'sendMessage'>['metadata'];
}

export interface EventsOptions
  extends Pick<EventStreamOptions, 'after' | 'signal' | 'silenceMs' | 'onReconnect'> {}

export type LonghaulClient = ReturnType<typeof createClient>;

/**
 * A client of `longhaul serve`. Works in Node, Bun and browsers.
 *
 * Every call throws a `LonghaulError` with the server's code; `server_unreachable` when there is no answer; `cancelled` when its signal aborts.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4140', token });
 * const session = await client.sessions.create();
 * await client.sendMessage(session.id, 'Fix the failing test.');
 * for await (const event of client.events(session.id, { after: 0 })) if (event.type === 'run:finished') break;
 */
export function createClient(options: ClientOptions) {
  const caller = new Caller(options);
  const call = <Name extends OperationName>(name: Name, input: CallInput<Name> = {}) =>
    caller.call(name, input);

  return {
    sessions: sessionCalls(caller),

    /** Starts a run, or waits for the next step of the one under way: `queued` says which. */
    sendMessage: (
      sessionId: string,
      content: UserContent,
      { idempotencyKey = crypto.randomUUID(), metadata, signal }: SendOptions = {},
    ): Promise<ResponseOf<'sendMessage'>> =>
      call('sendMessage', {
        params: { sessionId },
        body: { content, metadata },
        idempotencyKey,
        signal,
      }),

    /**
     * Events of a session: all since `after`, or from now on. Goes on by itself after whatever breaks the connection; numbered events come
     * once each, in order, and texts without an overlap. Ends with the signal, or when the session is deleted.
     */
    events: (
      sessionId: string,
      eventsOptions: EventsOptions = {},
    ): AsyncGenerator<LonghaulEvent, void, undefined> =>
      sessionEvents(caller, sessionId, { retryDelayMs: options.retryDelayMs, ...eventsOptions }),

    /** Events of all sessions, live only: what comes while the connection is broken is missed. */
    allEvents: (
      eventsOptions: Omit<EventsOptions, 'after'> = {},
    ): AsyncGenerator<LonghaulEvent, void, undefined> =>
      readEvents({
        ...eventsOptions,
        retryDelayMs: options.retryDelayMs,
        isOneSession: false,
        open: (_, signal) => caller.openOnce('allEvents', { signal }),
      }),

    messages: (sessionId: string, query: QueryInputOf<'listMessages'> = {}, { signal }: CallOptions = {}) =>
      call('listMessages', { params: { sessionId }, query, signal }),

    /** Stops the run. What was said stays; what waits does, unless `clearQueue`. */
    cancel: (sessionId: string, body: BodyInputOf<'cancel'> = {}, { signal }: CallOptions = {}) =>
      call('cancel', { params: { sessionId }, body, signal }),

    /** Goes on where a run was interrupted, or with what waits. */
    resume: (sessionId: string, { signal }: CallOptions = {}) =>
      call('resume', { params: { sessionId }, signal }),

    compact: (sessionId: string, body: BodyInputOf<'compact'> = {}, { signal }: CallOptions = {}) =>
      call('compact', { params: { sessionId }, body, signal }),

    /** Takes the newest compaction back. */
    undo: (sessionId: string, { signal }: CallOptions = {}) =>
      call('undo', { params: { sessionId }, signal }),

    /** Keeps a message in view: a handle such as `m12`, or an id. */
    pin: (sessionId: string, body: BodyInputOf<'pin'>, { signal }: CallOptions = {}) =>
      call('pin', { params: { sessionId }, body, signal }),

    unpin: (sessionId: string, body: BodyInputOf<'unpin'>, { signal }: CallOptions = {}) =>
      call('unpin', { params: { sessionId }, body, signal }),

    /** What fills the window. */
    context: (sessionId: string, query: QueryInputOf<'getContext'> = {}, { signal }: CallOptions = {}) =>
      call('getContext', { params: { sessionId }, query, signal }),

    queue: queueCalls(caller),

    approvals: {
      list: (sessionId: string, { open, signal }: CallOptions & { open?: boolean } = {}) =>
        call('listApprovals', {
          params: { sessionId },
          query: open === undefined ? {} : { open: open ? 'true' : 'false' },
          signal,
        }),
      /**
       * Answers a request: one of the list, or its event. The first answer holds; a later one throws `not_found`.
       *
       * By a call's id alone only where one request of the session has it (`invalid_request` else); `isNew` says whether the answer was
       * the first.
       */
      answer: (
        sessionId: string,
        request: string | Pick<Approval, 'callId' | 'handle'>,
        body: AnswerApprovalBody,
        { signal }: CallOptions = {},
      ) => {
        const { callId, ...named } =
          typeof request === 'string'
            ? { callId: request }
            : { callId: request.callId, handle: request.handle };
        return call('answerApproval', { params: { sessionId, callId }, body: { ...body, ...named }, signal });
      },
    },

    settings: {
      get: ({ signal }: CallOptions = {}) => call('getSettings', { signal }),
      set: (body: BodyInputOf<'putSettings'>, { signal }: CallOptions = {}) =>
        call('putSettings', { body, signal }),
    },

    search: (query: QueryInputOf<'search'>, { signal }: CallOptions = {}) =>
      call('search', { query, signal }),
    models: ({ signal }: CallOptions = {}) => call('listModels', { signal }),

    /** Bytes of an image, a file, or the whole of a cut output; `id` may be a reference (`@blob:…`). */
    blob: async (id: string, { signal }: CallOptions = {}): Promise<Blob> => {
      const blobId = id.replace(/^@blob:/, '');
      return (await caller.open('getBlob', { params: { blobId }, signal })).blob();
    },
  };
}

function sessionCalls(caller: Caller) {
  return {
    create: (body: BodyInputOf<'createSession'> = {}, { signal }: CallOptions = {}) =>
      caller.call('createSession', { body, signal }),
    /** The newest first; `before: page.next` gives the next page. */
    list: (query: QueryInputOf<'listSessions'> = {}, { signal }: CallOptions = {}) =>
      caller.call('listSessions', { query, signal }),
    get: (sessionId: string, { signal }: CallOptions = {}) =>
      caller.call('getSession', { params: { sessionId }, signal }),
    update: (sessionId: string, body: BodyInputOf<'updateSession'>, { signal }: CallOptions = {}) =>
      caller.call('updateSession', { params: { sessionId }, body, signal }),
    delete: async (sessionId: string, { signal }: CallOptions = {}): Promise<void> => {
      await caller.open('deleteSession', { params: { sessionId }, signal });
    },
    fork: (sessionId: string, body: BodyInputOf<'forkSession'> = {}, { signal }: CallOptions = {}) =>
      caller.call('forkSession', { params: { sessionId }, body, signal }),
    export: (sessionId: string, { signal }: CallOptions = {}) =>
      caller.call('exportSession', { params: { sessionId }, signal }),
    /** Makes a session of a recorded file, of any format that `longhaul import` knows. */
    import: (
      file: NonNullable<CallInput<'importSession'>['bytes']>,
      query: QueryInputOf<'importSession'> = {},
      { signal }: CallOptions = {},
    ) => caller.call('importSession', { bytes: file, query, signal }),
  };
}

function queueCalls(caller: Caller) {
  return {
    list: (sessionId: string, { signal }: CallOptions = {}) =>
      caller.call('listSessionQueue', { params: { sessionId }, signal }),
    edit: (sessionId: string, messageId: string, content: UserContent, { signal }: CallOptions = {}) =>
      caller.call('editQueued', { params: { sessionId, messageId }, body: { content }, signal }),
    remove: (sessionId: string, messageId: string, { signal }: CallOptions = {}) =>
      caller.call('removeQueued', { params: { sessionId, messageId }, signal }),
    clear: (sessionId: string, { signal }: CallOptions = {}) =>
      caller.call('clearSessionQueue', { params: { sessionId }, signal }),
  };
}

/** Without a number to begin after, the newest is asked for first: what happens before the first event would else be lost with a connection. */
async function* sessionEvents(
  caller: Caller,
  sessionId: string,
  { after, ...options }: EventsOptions & { retryDelayMs: number | undefined },
): AsyncGenerator<LonghaulEvent, void, undefined> {
  const { signal } = options;
  const start = after ?? (await newestEvent(caller, sessionId, signal));
  yield* readEvents({
    ...options,
    after: start,
    open: (seen, openSignal) =>
      caller.openOnce('sessionEvents', {
        params: { sessionId },
        query: { after: seen },
        signal: openSignal,
      }),
  });
}

/** After an abort the number does not matter: the iteration ends. */
async function newestEvent(
  caller: Caller,
  sessionId: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  try {
    return (await caller.call('getSession', { params: { sessionId }, signal })).lastEvent;
  } catch (error) {
    if (signal?.aborted === true) return 0;
    throw error;
  }
}
