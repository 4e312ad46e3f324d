/** The sessions to which a session may write. */
export interface Contacts {
  /** The newest first, at most `MAX_LISTED_CONTACTS`. */
  list(): Promise<Contact[]>;
  /**
   * Sends a message to a session. The same handle never sends twice.
   *
   * @param to.name Its id, the beginning of it, or its title.
   * @param to.handle Of the call that sends the message.
   * @throws {LonghaulError} `queue_full`, or an error of the store.
   */
  send(to: { name: string; handle: string }, text: string): Promise<SentToContact>;
}

/** Another session to which a session may write. */
export interface Contact {
  id: string;
  title: string;
  agent: string;
  /** Whether a run works on it now. */
  isWorking: boolean;
  /** Only if it differs from that of the sender. */
  workspace?: string;
}

/** The receiver of a message and its position in the queue, or the reason why it was not sent. */
export type SentToContact =
  | { isSent: true; contact: Contact; position: number }
  /** Why nothing was sent, for the model. */
  | { isSent: false; reason: string };

/** Maximum number of sessions that are listed for the model. */
export const MAX_LISTED_CONTACTS = 20;
