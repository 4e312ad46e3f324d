import type { Approval, LonghaulEvent } from '@longhaul/protocol';
import type {
  AnswerApprovalBody,
  BodyInputOf,
  OperationName,
  QueryInputOf,
  UserContent,
} from '@longhaul/protocol/api';
import { Caller, type CallInput } from './caller.ts';
import type { ClientOptions } from './client-options.ts';
import { type EventStreamOptions, readEvents } from './event-stream.ts';
import type {
  Agents,
  ApprovalInbox,
  ApprovalReceipt,
  CancelOutcome,
  ChangedSettings,
  ClearedQueue,
  CompactionList,
  CompactOutcome,
  ContextUse,
  CreatedSession,
  EditedMessage,
  FolderListing,
  ForkedSession,
  FoundCompaction,
  FoundSession,
  ImportedSession,
  McpOfferList,
  McpServers,
  MessageList,
  MessageReceipt,
  ModelList,
  MovedMessage,
  PageSignIn,
  PinOutcome,
  Providers,
  RemovedMessage,
  ReplayResult,
  RestoredSession,
  ResumeOutcome,
  RevertOutcome,
  SearchHits,
  SentMessage,
  ServerConfig,
  ServerSettings,
  SessionApprovals,
  SessionDiff,
  SessionExport,
  SessionList,
  SessionQueue,
  SessionTree,
  SkillList,
  StepList,
  TrustReceipt,
  TrustState,
  UndoOutcome,
  UnpinOutcome,
  UnrevertOutcome,
  UpdatedSession,
  UsageSums,
  Workspaces,
} from './results.ts';

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** What is sent beside the content of a message. */
export interface SendOptions extends CallOptions {
  /**
   * A message with a repeated key is stored once and gets the first response again. Default: a new key for each call.
   */
  idempotencyKey?: string;
  metadata?: BodyInputOf<'sendMessage'>['metadata'];
  /** Names of the tools that the model may use while it answers this message. `*` matches any text. Default: all. */
  tools?: BodyInputOf<'sendMessage'>['tools'];
  /** Id of the session that sends the message. The agent then does not take it for the word of a user. */
  from?: BodyInputOf<'sendMessage'>['from'];
}

/** From where and how long events of a session are read. */
export interface EventsOptions
  extends Pick<EventStreamOptions, 'after' | 'signal' | 'silenceMs' | 'onReconnect'> {}

export interface AllEventsOptions
  extends Omit<EventsOptions, 'after'>,
    Pick<EventStreamOptions, 'onChanged'> {
  numbered?: boolean;
}

/** What `createClient` returns. */
export type LonghaulClient = ReturnType<typeof createClient>;

/**
 * Creates a client of `longhaul serve`. It works in Node.js, Bun and browsers.
 *
 * Every call throws a `LonghaulError` with the server's error code, with `server_unreachable` if there is no response,
 * or with `cancelled` if its signal aborts.
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

    /** Sends a message. It starts a run, or waits in the queue for the next step of the active run (`queued: true`). */
    sendMessage: (
      sessionId: string,
      content: UserContent,
      { idempotencyKey = crypto.randomUUID(), metadata, tools, from, signal }: SendOptions = {},
    ): Promise<MessageReceipt> =>
      call('sendMessage', {
        params: { sessionId },
        body: { content, metadata, tools, from },
        idempotencyKey,
        signal,
      }),

    /**
     * Reads the events of a session: all events after `after`, or new events only. Reconnects after every connection
     * failure. Each numbered event arrives once and in order, and pieces of text do not overlap. Ends when the signal
     * aborts or the session is deleted.
     */
    events: (
      sessionId: string,
      eventsOptions: EventsOptions = {},
    ): AsyncGenerator<LonghaulEvent, void, undefined> =>
      sessionEvents(caller, sessionId, { retryDelayMs: options.retryDelayMs, ...eventsOptions }),

    /**
     * Reads the events of all sessions, live only. Events during a reconnect are lost. With `numbered`, leaves out
     * those without a number, such as pieces of text.
     */
    allEvents: ({
      numbered = false,
      ...eventsOptions
    }: AllEventsOptions = {}): AsyncGenerator<LonghaulEvent, void, undefined> =>
      readEvents({
        ...eventsOptions,
        retryDelayMs: options.retryDelayMs,
        isOneSession: false,
        open: (_, signal) =>
          caller.openOnce('allEvents', { query: { numbered: numbered ? 'true' : 'false' }, signal }),
      }),

    messages: (
      sessionId: string,
      query: QueryInputOf<'listMessages'> = {},
      { signal }: CallOptions = {},
    ): Promise<MessageList> => call('listMessages', { params: { sessionId }, query, signal }),

    /** Cancels the active run. Its messages are kept. The queue is kept too, unless `clearQueue` is set. */
    cancel: (
      sessionId: string,
      body: BodyInputOf<'cancel'> = {},
      { signal }: CallOptions = {},
    ): Promise<CancelOutcome> => call('cancel', { params: { sessionId }, body, signal }),

    /** Resumes an interrupted run, or delivers the queued messages. */
    resume: (sessionId: string, { signal }: CallOptions = {}): Promise<ResumeOutcome> =>
      call('resume', { params: { sessionId }, signal }),

    compact: (
      sessionId: string,
      body: BodyInputOf<'compact'> = {},
      { signal }: CallOptions = {},
    ): Promise<CompactOutcome> => call('compact', { params: { sessionId }, body, signal }),

    /** Undoes the newest compaction. */
    undo: (sessionId: string, { signal }: CallOptions = {}): Promise<UndoOutcome> =>
      call('undo', { params: { sessionId }, signal }),

    /** Returns what the session, a turn or a step changed in the workspace. */
    diff: (
      sessionId: string,
      query: QueryInputOf<'getDiff'> = {},
      { signal }: CallOptions = {},
    ): Promise<SessionDiff> => call('getDiff', { params: { sessionId }, query, signal }),
    files: {
      /** Lists a folder of the workspace as it was after a message. */
      list: (
        sessionId: string,
        query: QueryInputOf<'listFiles'> = {},
        { signal }: CallOptions = {},
      ): Promise<FolderListing> => call('listFiles', { params: { sessionId }, query, signal }),
      /** Returns a file of the workspace as it was after a message. */
      read: async (
        sessionId: string,
        query: QueryInputOf<'readFile'>,
        { signal }: CallOptions = {},
      ): Promise<Blob> => (await caller.open('readFile', { params: { sessionId }, query, signal })).blob(),
    },
    /** Restores files and conversation as they were before a message. */
    revert: (
      sessionId: string,
      body: BodyInputOf<'revert'>,
      { signal }: CallOptions = {},
    ): Promise<RevertOutcome> => call('revert', { params: { sessionId }, body, signal }),
    /** Takes the newest revert back. */
    unrevert: (
      sessionId: string,
      body: BodyInputOf<'unrevert'> = {},
      { signal }: CallOptions = {},
    ): Promise<UnrevertOutcome> => call('unrevert', { params: { sessionId }, body, signal }),
    /** Returns the branches of the conversation, which reverts begin. */
    tree: (sessionId: string, { signal }: CallOptions = {}): Promise<SessionTree> =>
      call('getTree', { params: { sessionId }, signal }),

    /** Pins a message, named by a handle such as `m12` or an id, so that no compaction hides it. */
    pin: (sessionId: string, body: BodyInputOf<'pin'>, { signal }: CallOptions = {}): Promise<PinOutcome> =>
      call('pin', { params: { sessionId }, body, signal }),

    unpin: (
      sessionId: string,
      body: BodyInputOf<'unpin'>,
      { signal }: CallOptions = {},
    ): Promise<UnpinOutcome> => call('unpin', { params: { sessionId }, body, signal }),

    /** Reports how the window is used. */
    context: (
      sessionId: string,
      query: QueryInputOf<'getContext'> = {},
      { signal }: CallOptions = {},
    ): Promise<ContextUse> => call('getContext', { params: { sessionId }, query, signal }),

    /** Returns the tokens and the cost of each answer of the model, oldest first. */
    steps: (
      sessionId: string,
      query: QueryInputOf<'listSteps'> = {},
      { signal }: CallOptions = {},
    ): Promise<StepList> => call('listSteps', { params: { sessionId }, query, signal }),

    compactions: {
      /** Lists the compactions of a session, also undone ones, oldest first. */
      list: (sessionId: string, { signal }: CallOptions = {}): Promise<CompactionList> =>
        call('listCompactions', { params: { sessionId }, signal }),
      /** Returns a compaction with its ledger and its narrative. */
      get: (
        sessionId: string,
        compactionId: string,
        { signal }: CallOptions = {},
      ): Promise<FoundCompaction> => call('getCompaction', { params: { sessionId, compactionId }, signal }),
    },

    queue: queueCalls(caller),

    approvals: {
      /** Lists the requests of all sessions that have no answer. */
      inbox: ({ signal }: CallOptions = {}): Promise<ApprovalInbox> => call('listOpenApprovals', { signal }),
      list: (
        sessionId: string,
        { open, signal }: CallOptions & { open?: boolean } = {},
      ): Promise<SessionApprovals> =>
        call('listApprovals', {
          params: { sessionId },
          query: open === undefined ? {} : { open: open ? 'true' : 'false' },
          signal,
        }),
      /**
       * Answers an approval request, given as an item of `list` or an `approval:requested` event. Only the first answer
       * counts. A later one throws `not_found`.
       *
       * If `request` is only a call id, a later answer does not throw, and `isNew` is false. If several requests of the
       * session have this call id, `invalid_request` is thrown.
       */
      answer: (
        sessionId: string,
        request: string | Pick<Approval, 'callId' | 'handle'>,
        body: AnswerApprovalBody,
        { signal }: CallOptions = {},
      ): Promise<ApprovalReceipt> => {
        const { callId, ...named } =
          typeof request === 'string'
            ? { callId: request }
            : { callId: request.callId, handle: request.handle };
        return call('answerApproval', { params: { sessionId, callId }, body: { ...body, ...named }, signal });
      },
    },

    /** Returns what model calls have used, by day, token, model or session, and what is left of budgets. */
    usage: (query: QueryInputOf<'getUsage'> = {}, { signal }: CallOptions = {}): Promise<UsageSums> =>
      call('getUsage', { query, signal }),

    settings: {
      get: ({ signal }: CallOptions = {}): Promise<ServerSettings> => call('getSettings', { signal }),
      set: (body: BodyInputOf<'putSettings'>, { signal }: CallOptions = {}): Promise<ChangedSettings> =>
        call('putSettings', { body, signal }),
    },

    /**
     * Exchanges a one-time code, or the token of the server, for a token of its page. Only for that page: others are
     * refused. Without `token` in the result, the server needs none.
     */
    signIn: (
      body: BodyInputOf<'createPageSession'> = {},
      { signal }: CallOptions = {},
    ): Promise<PageSignIn> => call('createPageSession', { body, signal }),

    skills: {
      /** Lists the skills that sessions of a workspace have, and folders that are none, with the reason. */
      list: (query: QueryInputOf<'listSkills'> = {}, { signal }: CallOptions = {}): Promise<SkillList> =>
        call('listSkills', { query, signal }),
    },

    mcp: {
      /** Lists the MCP servers of a session, or of each server, the state in the session that used it last. */
      list: (query: QueryInputOf<'listMcpServers'> = {}, { signal }: CallOptions = {}): Promise<McpServers> =>
        call('listMcpServers', { query, signal }),
      /** Lists what a message can name of the running servers of a session. */
      offers: (sessionId: string, { signal }: CallOptions = {}): Promise<McpOfferList> =>
        call('listMcpOffers', { params: { sessionId }, signal }),
    },

    trust: {
      /** Returns what the `longhaul.yml` of a workspace wants, and whether it is trusted. */
      get: (query: QueryInputOf<'getTrust'> = {}, { signal }: CallOptions = {}): Promise<TrustState> =>
        call('getTrust', { query, signal }),
      /** Trusts what was shown with this `hash`, or withdraws the trust. */
      answer: (body: BodyInputOf<'answerTrust'>, { signal }: CallOptions = {}): Promise<TrustReceipt> =>
        call('answerTrust', { body, signal }),
    },

    /**
     * Measures compaction strategies on a recorded session, in any format that `longhaul import` reads. No model is
     * called, and nothing is stored.
     */
    replay: (
      file: NonNullable<CallInput<'replay'>['bytes']>,
      query: Omit<QueryInputOf<'replay'>, 'format'> = {},
      { signal }: CallOptions = {},
    ): Promise<ReplayResult> => call('replay', { bytes: file, query, signal }),
    /** The same as an HTML page that loads nothing. Show it only as a download. */
    replayPage: async (
      file: NonNullable<CallInput<'replay'>['bytes']>,
      query: Omit<QueryInputOf<'replay'>, 'format'> = {},
      { signal }: CallOptions = {},
    ): Promise<Blob> =>
      (await caller.open('replay', { bytes: file, query: { ...query, format: 'html' }, signal })).blob(),

    search: (query: QueryInputOf<'search'>, { signal }: CallOptions = {}): Promise<SearchHits> =>
      call('search', { query, signal }),
    models: ({ signal, ...query }: CallOptions & QueryInputOf<'listModels'> = {}): Promise<ModelList> =>
      call('listModels', { query, signal }),
    /** Lists the providers of models, and whether they have a key. */
    providers: ({ signal }: CallOptions = {}): Promise<Providers> => call('listProviders', { signal }),
    /** Lists the agents that a session can name. */
    agents: ({ signal }: CallOptions = {}): Promise<Agents> => call('listAgents', { signal }),
    /** Lists the folders in which sessions can work. */
    workspaces: ({ signal }: CallOptions = {}): Promise<Workspaces> => call('listWorkspaces', { signal }),
    /** Returns the effective configuration, and where each value comes from. */
    config: ({ signal }: CallOptions = {}): Promise<ServerConfig> => call('getConfig', { signal }),

    /**
     * Returns the bytes of an image or a file, or the whole text of a truncated output. `id` may be a reference
     * (`@blob:…`). A token whose scope is not `admin` must name a session that contains it.
     */
    blob: async (
      id: string,
      { sessionId, signal }: CallOptions & { sessionId?: string | undefined } = {},
    ): Promise<Blob> => {
      const blobId = id.replace(/^@blob:/, '');
      return (await caller.open('getBlob', { params: { blobId }, query: { sessionId }, signal })).blob();
    },
  };
}

function sessionCalls(caller: Caller) {
  return {
    create: (
      body: BodyInputOf<'createSession'> = {},
      { signal }: CallOptions = {},
    ): Promise<CreatedSession> => caller.call('createSession', { body, signal }),
    /** Lists sessions, newest first. `before: page.next` returns the next page. */
    list: (query: QueryInputOf<'listSessions'> = {}, { signal }: CallOptions = {}): Promise<SessionList> =>
      caller.call('listSessions', { query, signal }),
    get: (
      sessionId: string,
      { signal, ...query }: CallOptions & QueryInputOf<'getSession'> = {},
    ): Promise<FoundSession> => caller.call('getSession', { params: { sessionId }, query, signal }),
    update: (
      sessionId: string,
      body: BodyInputOf<'updateSession'>,
      { signal }: CallOptions = {},
    ): Promise<UpdatedSession> => caller.call('updateSession', { params: { sessionId }, body, signal }),
    /** Deletes a session at once, or after `undoSeconds`, within which `restore` takes that back. */
    delete: async (
      sessionId: string,
      { signal, ...query }: CallOptions & QueryInputOf<'deleteSession'> = {},
    ): Promise<void> => {
      await caller.open('deleteSession', { params: { sessionId }, query, signal });
    },
    /** Takes a delayed deletion back. */
    restore: (sessionId: string, { signal }: CallOptions = {}): Promise<RestoredSession> =>
      caller.call('restoreSession', { params: { sessionId }, signal }),
    fork: (
      sessionId: string,
      body: BodyInputOf<'forkSession'> = {},
      { signal }: CallOptions = {},
    ): Promise<ForkedSession> => caller.call('forkSession', { params: { sessionId }, body, signal }),
    /** With `files`, the export contains the recorded files of the workspace. It is read into memory. */
    export: (
      sessionId: string,
      { files = false, signal }: CallOptions & { files?: boolean } = {},
    ): Promise<SessionExport> =>
      caller.call('exportSession', {
        params: { sessionId },
        query: { files: files ? 'true' : 'false' },
        signal,
      }),
    /** Creates a session from a recorded file in any format that `longhaul import` reads. */
    import: (
      file: NonNullable<CallInput<'importSession'>['bytes']>,
      query: QueryInputOf<'importSession'> = {},
      { signal }: CallOptions = {},
    ): Promise<ImportedSession> => caller.call('importSession', { bytes: file, query, signal }),
  };
}

function queueCalls(caller: Caller) {
  return {
    list: (sessionId: string, { signal }: CallOptions = {}): Promise<SessionQueue> =>
      caller.call('listSessionQueue', { params: { sessionId }, signal }),
    edit: (
      sessionId: string,
      messageId: string,
      content: UserContent,
      { signal }: CallOptions = {},
    ): Promise<EditedMessage> =>
      caller.call('editQueued', { params: { sessionId, messageId }, body: { content }, signal }),
    /** Moves a message to another position: 1 is next. */
    move: (
      sessionId: string,
      messageId: string,
      position: number,
      { signal }: CallOptions = {},
    ): Promise<MovedMessage> =>
      caller.call('moveQueued', { params: { sessionId, messageId }, body: { position }, signal }),
    /** Stops the current step, and starts a run with the queued messages, this one first. */
    send: (sessionId: string, messageId: string, { signal }: CallOptions = {}): Promise<SentMessage> =>
      caller.call('sendQueued', { params: { sessionId, messageId }, signal }),
    remove: (sessionId: string, messageId: string, { signal }: CallOptions = {}): Promise<RemovedMessage> =>
      caller.call('removeQueued', { params: { sessionId, messageId }, signal }),
    clear: (sessionId: string, { signal }: CallOptions = {}): Promise<ClearedQueue> =>
      caller.call('clearSessionQueue', { params: { sessionId }, signal }),
  };
}

/**
 * Without `after`, first gets the number of the newest event. Otherwise a connection failure before the first event
 * would lose the events in the meantime.
 */
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

/** Returns the number of the newest event. Returns 0 after an abort, because the iteration then ends anyway. */
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
