/** Returns the day in UTC, `YYYY-MM-DD`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A session's log, which may lack older messages, and a way to read them. */
export interface DatedSession {
  readonly log: {
    readonly messages: readonly { sequence: number; createdAt: number }[];
    readonly marks: readonly unknown[];
  };
  /** Reads the oldest messages that are not reverted. */
  readMessages(page: {
    after: number;
    limit: number;
  }): Promise<{ messages: readonly { createdAt: number }[] }>;
}

/**
 * Returns the day on which the conversation began. It is part of the system text: the same in every run and in forks,
 * so that the provider's cache of earlier requests applies.
 */
export async function firstDay(session: DatedSession): Promise<string> {
  const first = loadedStart(session) ?? (await session.readMessages({ after: 0, limit: 1 })).messages[0];
  return dayOf(first?.createdAt ?? Date.now());
}

/**
 * Returns the first message of the conversation if the log is known to begin with it. Reading the first message of a
 * new session from the store would load the checks of stored rows, which takes 20 to 40 ms.
 */
function loadedStart({ log: { messages, marks } }: DatedSession) {
  const [first] = messages;
  return first?.sequence === 1 && marks.length === 0 ? first : undefined;
}
