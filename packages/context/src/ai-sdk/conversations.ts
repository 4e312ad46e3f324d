import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { LonghaulError } from '@longhaul/protocol';
import type { ContextSession } from '../session/session-types.ts';

type Session = ContextSession<LanguageModelV4Message>;

/** One conversation of a model, and the call that uses it. */
export interface Conversation<C> {
  readonly session: Session;
  /** Set while a call uses the session. */
  call: C | undefined;
}

export interface ConversationOptions<C> {
  maxConversations: number;
  /** Creates the session of a new conversation, which must outlive its calls. */
  open: (conversation: () => C | undefined, from?: Session) => Session;
}

/** The messages that a conversation must share with a prompt, for the prompt to continue an edited form of it. */
const MIN_SHARED_MESSAGES = 2;

/**
 * Finds the conversation that a prompt continues. A model gets the whole prompt in every call, and one model serves
 * many conversations.
 */
export class Conversations<C> {
  readonly #options: ConversationOptions<C>;
  /** The most recently used one last. */
  #known: Conversation<C>[] = [];

  constructor(options: ConversationOptions<C>) {
    this.#options = options;
  }

  /**
   * Returns a conversation that contains exactly the prompt, for this call alone.
   *
   * @throws {LonghaulError} `invalid_request` if a message of the prompt cannot be read.
   */
  take(prompt: readonly LanguageModelV4Message[], call: C): Conversation<C> {
    const conversation = this.#continued(prompt) ?? this.#forked(prompt) ?? this.#opened();
    conversation.session.sync(prompt);
    conversation.call = call;
    this.#known = [...this.#known.filter((each) => each !== conversation), conversation].slice(
      -this.#options.maxConversations,
    );
    return conversation;
  }

  release(conversation: Conversation<C>): void {
    conversation.call = undefined;
  }

  /** The longest one whose messages begin the prompt. */
  #continued(prompt: readonly LanguageModelV4Message[]): Conversation<C> | undefined {
    return this.#known
      .filter(
        ({ call, session }) => call === undefined && sharedCount(session, prompt) === session.messageCount,
      )
      .toSorted((a, b) => b.session.messageCount - a.session.messageCount)[0];
  }

  /** A copy of the one with the longest common beginning: it was edited, or another call uses it. */
  #forked(prompt: readonly LanguageModelV4Message[]): Conversation<C> | undefined {
    let best: { session: Session; shared: number } | undefined;
    for (const { session } of this.#known) {
      const shared = sharedCount(session, prompt);
      if (shared >= MIN_SHARED_MESSAGES && shared > (best?.shared ?? 0)) best = { session, shared };
    }
    if (best === undefined) return undefined;
    const conversation = this.#opened(best.session);
    conversation.session.truncate(best.shared);
    return conversation;
  }

  #opened(from?: Session): Conversation<C> {
    const conversation: Conversation<C> = {
      session: this.#options.open(() => conversation.call, from),
      call: undefined,
    };
    return conversation;
  }
}

/** Returns how many messages at the beginning of a prompt the session has. Changes nothing. */
function sharedCount(session: Session, prompt: readonly LanguageModelV4Message[]): number {
  try {
    // Only what the session has already, so nothing is added.
    session.sync(prompt.slice(0, session.messageCount));
    return session.messageCount;
  } catch (error) {
    const index = error instanceof LonghaulError ? error.data['messageIndex'] : undefined;
    if (typeof index === 'number') return index;
    throw error;
  }
}
