import {
  type Message,
  type MessageOrigin,
  originOf,
  type QueuedMessage,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { BlobStore, ConnectedTools, MessageDraft } from '../ports/index.ts';
import { coalesce } from '../session/messages/coalesce.ts';
import { draftGroup, groupsOf, type QueuedGroup } from '../session/messages/draft-queued.ts';
import { storeMedia } from '../session/messages/media.ts';
import { refusedDraft } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { draftHookNote } from './run-hooks.ts';

export interface MessageTakerOptions {
  writer: Pick<SessionWriter, 'listQueued' | 'takeQueue' | 'announce'>;
  blobs: BlobStore;
  /** Default: messages name nothing. */
  readNamed?: ConnectedTools['readNamed'] | undefined;
  /** Judges the text of waiting messages before they are taken. `origins`: of those that no user wrote. Default: all are accepted. */
  judge?: ((prompt: string, origins: MessageOrigin[]) => Promise<PromptVerdict | undefined>) | undefined;
  signal: AbortSignal;
}

export interface PromptVerdict {
  /** Why the messages are refused. */
  deny?: string | undefined;
  /** What the model gets after them. */
  text?: string | undefined;
}

export interface TakenMessages {
  messages: Message[];
  /** Why the messages were refused. Undefined if some of them were not. */
  deny?: string | undefined;
}

/** The verdicts on what others sent and on what the user wrote. */
interface Verdicts {
  sent?: PromptVerdict | undefined;
  written?: PromptVerdict | undefined;
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
      const verdicts = await this.#judge([...known.values()]);
      // A hook that was stopped has judged nothing.
      signal.throwIfAborted();
      let isNewer = false;
      const messages = await writer.takeQueue(
        (each) => {
          const complete = known.get(keyOf(each));
          if (complete === undefined) isNewer = true;
          return complete;
        },
        { draftMessages: (queued) => draftJudged(queued, verdicts), note: noteOf(verdicts) },
      );
      if (messages.length > 0 || !isNewer) return taken(messages, refusalOf(messages, verdicts));
    }
  }

  /** What others sent is judged apart from what the user wrote: a refused message never takes the other with it. */
  async #judge(waiting: readonly QueuedMessage[]): Promise<Verdicts> {
    const { judge, signal } = this.#options;
    const verdicts: Verdicts = {};
    if (judge === undefined) return verdicts;
    for (const { queued, isSent } of groupsOf(waiting)) {
      const origins = queued.flatMap((message) => originOf(message) ?? []);
      verdicts[isSent ? 'sent' : 'written'] = await judge(promptOf(queued), origins);
      signal.throwIfAborted();
    }
    return verdicts;
  }

  #withNamed(message: QueuedMessage): QueuedMessage {
    return { ...message, content: [...message.content, ...(this.#named.get(keyOf(message)) ?? [])] };
  }

  async #read(message: QueuedMessage, readNamed: NonNullable<ConnectedTools['readNamed']>): Promise<void> {
    const key = keyOf(message);
    // What another session names is not read for it: only the user's word attaches files.
    if (originOf(message) !== undefined) return;
    if (this.#named.has(key)) return;
    const { writer, blobs, signal } = this.#options;
    const { content, warnings } = (await readNamed(typedText(message), signal)) ?? NOTHING;
    this.#named.set(key, await storeMedia(content, blobs));
    for (const warning of warnings) await writer.announce({ type: 'context:warning', message: warning });
  }
}

const NOTHING = { content: [], warnings: [] };

function taken(messages: Message[], deny?: string): TakenMessages | undefined {
  return messages.length === 0 ? undefined : { messages, deny };
}

const verdictOn = ({ isSent }: QueuedGroup, { sent, written }: Verdicts) => (isSent ? sent : written);

function draftJudged(queued: readonly QueuedMessage[], verdicts: Verdicts): MessageDraft[] {
  return groupsOf(queued).map((group) => {
    const draft = draftGroup(group);
    return verdictOn(group, verdicts)?.deny === undefined ? draft : refusedDraft(draft);
  });
}

/** A refusal of the user's words ends the run. So does one of all messages. */
function refusalOf(messages: readonly Message[], { sent, written }: Verdicts): string | undefined {
  return written?.deny ?? (messages.length === 1 && written === undefined ? sent?.deny : undefined);
}

function noteOf({ sent, written }: Verdicts): MessageDraft | undefined {
  const texts = [sent, written].flatMap((verdict) =>
    verdict?.deny === undefined && verdict?.text !== undefined ? [verdict.text] : [],
  );
  return texts.length === 0 ? undefined : draftHookNote(texts.join('\n\n'));
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
