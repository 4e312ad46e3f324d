import {
  isBlank,
  LonghaulError,
  type MessageOrigin,
  ORIGIN_NAMES,
  type QueuedMessage,
  suggestion,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { BlobStore, ModelInfo, Store, Tool } from '../../ports/index.ts';
import { matchTools } from '../../ports/tool-set.ts';
import type { EventHub } from '../events/event-hub.ts';
import { newId } from '../ids.ts';
import { storeMedia } from './media.ts';
import { hasMedia, requireAccepted } from './require-accepted.ts';

/** Maximum number of queued messages per session. */
export const DEFAULT_MAX_PENDING = 1_000;

/** The id and the position of a queued message. */
export interface EnqueueResult {
  queued: true;
  id: string;
  /** 1 is next. */
  position: number;
  /** Number of its `message:queued` event. */
  eventNumber: number;
}

/** What is stored with a queued message. */
export interface EnqueueOptions {
  id?: string | undefined;
  metadata?: QueuedMessage['metadata'] | undefined;
  tools?: readonly string[] | undefined;
  /** Where the message comes from. Default: a user wrote it. Never pass what a client sent. */
  origin?: MessageOrigin | undefined;
}

/** The text of the event and of the answer for a message that waits in the queue. */
export function queuedText(position: number): string {
  return `Message queued at position ${position}`;
}

export interface MessageQueueOptions {
  store: Store;
  blobs: BlobStore;
  hub: EventHub;
  maxPending?: number;
  /**
   * Returns the model that will get the messages of a session, or undefined if that cannot be found out now. Absent:
   * images and files are not checked.
   */
  infoFor?: (sessionId: string) => Promise<ModelInfo | undefined>;
  /** Returns the tools of a session's agent. Absent: the names of tools in a message are not checked. */
  toolsFor?: (sessionId: string) => Promise<readonly Tool[]>;
  /** Whether a tool with such a name may be known only when the session runs. Default: never. */
  mayConnect?: (pattern: string) => boolean;
}

/**
 * Manages the queue: user messages that wait for a session's next step. A message is stored before `enqueue` resolves.
 * It survives a cancel, a crash and a compaction.
 */
export class MessageQueueService {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #hub: EventHub;
  readonly #maxPending: number;
  readonly #infoFor: MessageQueueOptions['infoFor'];
  readonly #toolsFor: MessageQueueOptions['toolsFor'];
  readonly #mayConnect: (pattern: string) => boolean;

  constructor(options: MessageQueueOptions) {
    this.#infoFor = options.infoFor;
    this.#toolsFor = options.toolsFor;
    this.#mayConnect = options.mayConnect ?? (() => false);
    this.#store = options.store;
    this.#blobs = options.blobs;
    this.#hub = options.hub;
    this.#maxPending = options.maxPending ?? DEFAULT_MAX_PENDING;
  }

  /**
   * Adds a message to the queue.
   *
   * @param options.id Repeating an id stores nothing and returns the first result.
   * @param options.tools Patterns of the tools that the model may use while it answers this message. Default: all.
   * @throws {LonghaulError} `invalid_request` without content, or for a pattern that no tool matches; `input_unsupported` for an image or a file that the model of
   * the session does not take; `queue_full`; `session_not_found`.
   */
  async enqueue(
    sessionId: string,
    content: readonly UserMessageContentPart[],
    options: EnqueueOptions = {},
  ): Promise<EnqueueResult> {
    const { tools } = options;
    assertMetadata(options.metadata);
    await this.#check(sessionId, content);
    if (tools !== undefined) await this.#checkTools(sessionId, tools);
    const stored = await storeMedia(content, this.#blobs);
    const message: QueuedMessage = {
      id: options.id ?? newId(),
      content: stored,
      queuedAt: Date.now(),
      metadata: metadataOf(options),
    };
    const { position, events } = await this.#store.enqueue(sessionId, message, {
      maxPending: this.#maxPending,
    });
    for (const event of events) this.#hub.emit(event);
    return { queued: true, id: message.id, position, eventNumber: events[0]?.number ?? 0 };
  }

  list(sessionId: string): Promise<QueuedMessage[]> {
    return this.#store.listQueue(sessionId);
  }

  async pendingCount(sessionId: string): Promise<number> {
    return (await this.list(sessionId)).length;
  }

  async hasPending(sessionId: string): Promise<boolean> {
    return (await this.pendingCount(sessionId)) > 0;
  }

  /** Throws as `enqueue`. */
  async edit(sessionId: string, id: string, content: readonly UserMessageContentPart[]): Promise<boolean> {
    await this.#check(sessionId, content);
    const stored = await storeMedia(content, this.#blobs);
    return this.#changed(sessionId, await this.#store.editQueued(sessionId, id, stored));
  }

  /** Moves a message to a position of the queue: 1 is next. Returns false if the message does not wait. */
  async move(sessionId: string, id: string, position: number): Promise<boolean> {
    return this.#changed(sessionId, await this.#store.moveQueued(sessionId, id, position));
  }

  async remove(sessionId: string, id: string): Promise<boolean> {
    return this.#changed(sessionId, await this.#store.removeQueued(sessionId, id));
  }

  async clear(sessionId: string): Promise<number> {
    return this.#changed(sessionId, await this.#store.clearQueue(sessionId));
  }

  /** Emits `queue:changed` if something has changed. */
  async #changed<Change extends boolean | number>(sessionId: string, change: Change): Promise<Change> {
    if (change === false || change === 0) return change;
    const count = await this.pendingCount(sessionId);
    this.#hub.emit({ type: 'queue:changed', sessionId, at: Date.now(), count });
    return change;
  }

  async #checkTools(sessionId: string, patterns: readonly string[]): Promise<void> {
    const tools = await this.#toolsFor?.(sessionId);
    const unknown =
      tools &&
      patterns.find((pattern) => matchTools([pattern], tools).length === 0 && !this.#mayConnect(pattern));
    if (tools === undefined || unknown === undefined) return;
    const names = tools.map(({ name }) => name);
    throw new LonghaulError(
      'invalid_request',
      `The message allows the tool "${unknown.slice(0, 100)}", but the agent has no tool with this name.${suggestion(unknown, names)} It has: ${names.join(', ')}.`,
    );
  }

  async #check(sessionId: string, content: readonly UserMessageContentPart[]): Promise<void> {
    assertContent(content);
    const info = hasMedia(content) ? await this.#infoFor?.(sessionId) : undefined;
    if (info !== undefined) requireAccepted(content, info);
  }
}

function metadataOf({ metadata, tools, origin }: EnqueueOptions): QueuedMessage['metadata'] {
  if (tools === undefined && origin === undefined) return metadata;
  return { ...metadata, ...(tools && { tools: [...tools] }), ...(origin && { origin }) };
}

/** Only the option `origin` says that no user wrote a message: who sends metadata cannot claim it. */
function assertMetadata(metadata: QueuedMessage['metadata']): void {
  const taken = ORIGIN_NAMES.find((name) => metadata !== undefined && Object.hasOwn(metadata, name));
  const isSent = metadata?.['synthetic'] === 'sent';
  if (taken === undefined && !isSent) return;
  throw new LonghaulError(
    'invalid_request',
    `The metadata of the message has the name "${taken ?? 'synthetic'}", which only Longhaul sets. Choose another name.`,
  );
}

function assertContent(content: readonly UserMessageContentPart[]): void {
  const isEmpty = content.every((part) => part.type === 'text' && isBlank(part.text));
  if (isEmpty) {
    throw new LonghaulError('invalid_request', 'The message is empty. It needs text, an image or a file.');
  }
}
