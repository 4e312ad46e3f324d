import type { Message, QueuedMessage, UserMessageContentPart } from '@longhaul/protocol';
import type { BlobStore, ConnectedTools, MessageDraft } from '../ports/index.ts';
import { coalesce } from '../session/messages/coalesce.ts';
import { storeMedia } from '../session/messages/media.ts';
import { draftRefusedMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { draftHookNote } from './run-hooks.ts';

export interface MessageTakerOptions {
  writer: Pick<SessionWriter, 'listQueued' | 'takeQueue' | 'announce'>;
  blobs: BlobStore;
  /** Default: messages name nothing. */
  readNamed?: ConnectedTools['readNamed'] | undefined;
  /** Judges the text of waiting messages before they are taken. Default: all are accepted. */
  judge?: ((prompt: string) => Promise<PromptVerdict | undefined>) | undefined;
  signal: AbortSignal;
}

export interface PromptVerdict {
  /** Why the messages are refused. */
  deny?: string | undefined;
  /** What the model gets after them. */
  text?: string | undefined;
}

export interface TakenMessages {
  message: Message;
  /** Why the message was refused. */
  deny?: string | undefined;
}

/**
 * Takes the queued messages into the log, with what they name: a resource of a server is read before its message is
 * taken, so that both are stored together. They are judged before they are stored, so that a process that is killed
 * meanwhile leaves nothing that nobody has judged.
 */
export class MessageTaker {
  readonly #options: MessageTakerOptions;
  /** What messages name, by id and text: a waiting message can be edited. */
  readonly #named = new Map<string, UserMessageContentPart[]>();

  constructor(options: MessageTakerOptions) {
    this.#options = options;
  }

  /** Returns undefined if no message waits. @throws the reason of the signal; then nothing is taken. */
  async take(): Promise<TakenMessages | undefined> {
    const { writer, readNamed, judge, signal } = this.#options;
    if (readNamed === undefined && judge === undefined) return taken(await writer.takeQueue());
    for (;;) {
      const waiting = await writer.listQueued();
      if (readNamed !== undefined) for (const message of waiting) await this.#read(message, readNamed);
      const known = new Map(waiting.map((message) => [keyOf(message), this.#withNamed(message)]));
      const verdict = waiting.length === 0 ? {} : await judge?.(promptOf([...known.values()]));
      // A hook that was stopped has judged nothing.
      signal.throwIfAborted();
      let isNewer = false;
      const message = await writer.takeQueue(
        (each) => {
          const complete = known.get(keyOf(each));
          if (complete === undefined) isNewer = true;
          return complete;
        },
        verdict?.deny === undefined ? { note: noteOf(verdict) } : { draftMessage: draftRefusedMessage },
      );
      if (message !== undefined || !isNewer) return taken(message, verdict?.deny);
    }
  }

  #withNamed(message: QueuedMessage): QueuedMessage {
    return { ...message, content: [...message.content, ...(this.#named.get(keyOf(message)) ?? [])] };
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

function taken(message: Message | undefined, deny?: string): TakenMessages | undefined {
  return message && { message, deny };
}

function noteOf(verdict: PromptVerdict | undefined): MessageDraft | undefined {
  return verdict?.text === undefined ? undefined : draftHookNote(verdict.text);
}

function promptOf(messages: readonly QueuedMessage[]): string {
  const { combinedContent } = coalesce(messages);
  return combinedContent.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** The first text. What follows is attached, and names nothing: a file could contain anything. */
function typedText({ content: [first] }: QueuedMessage): string {
  return first?.type === 'text' ? first.text : '';
}

function keyOf(message: QueuedMessage): string {
  return `${message.id} ${typedText(message)}`;
}
