import type { Message, QueuedMessage, UserMessageContentPart } from '@longhaul/protocol';
import type { BlobStore, ConnectedTools } from '../ports/index.ts';
import { storeMedia } from '../session/messages/media.ts';
import type { SessionWriter } from '../session/session-writer.ts';

export interface MessageTakerOptions {
  writer: Pick<SessionWriter, 'listQueued' | 'takeQueue' | 'announce'>;
  blobs: BlobStore;
  /** Default: messages name nothing. */
  readNamed?: ConnectedTools['readNamed'] | undefined;
  signal: AbortSignal;
}

/**
 * Takes the queued messages into the log, with what they name: a resource of a server is read before its message is
 * taken, so that both are stored together.
 */
export class MessageTaker {
  readonly #options: MessageTakerOptions;
  /** What messages name, by id and text: a waiting message can be edited. */
  readonly #named = new Map<string, UserMessageContentPart[]>();

  constructor(options: MessageTakerOptions) {
    this.#options = options;
  }

  /** Returns undefined if no message waits. @throws the reason of the signal; then nothing is taken. */
  async take(): Promise<Message | undefined> {
    const { writer, readNamed } = this.#options;
    if (readNamed === undefined) return await writer.takeQueue();
    for (;;) {
      let isNewer = false;
      for (const message of await writer.listQueued()) await this.#read(message, readNamed);
      const taken = await writer.takeQueue((message) => {
        const named = this.#named.get(keyOf(message));
        if (named === undefined) isNewer = true;
        return named && { ...message, content: [...message.content, ...named] };
      });
      if (taken !== undefined || !isNewer) return taken;
    }
  }

  async #read(message: QueuedMessage, readNamed: NonNullable<ConnectedTools['readNamed']>): Promise<void> {
    const key = keyOf(message);
    if (this.#named.has(key)) return;
    const { writer, blobs, signal } = this.#options;
    const { content, warnings } = (await readNamed(typedText(message), signal)) ?? NOTHING;
    this.#named.set(key, await storeMedia(content, blobs));
    for (const warning of warnings) await writer.announce({ type: 'context:warning', message: warning });
  }
}

const NOTHING = { content: [], warnings: [] };

/** The first text. What follows is attached, and names nothing: a file could contain anything. */
function typedText({ content: [first] }: QueuedMessage): string {
  return first?.type === 'text' ? first.text : '';
}

function keyOf(message: QueuedMessage): string {
  return `${message.id} ${typedText(message)}`;
}
