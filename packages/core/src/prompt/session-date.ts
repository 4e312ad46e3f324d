/** Returns the day in UTC, `YYYY-MM-DD`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Reads the oldest message of a session. */
export interface FirstMessageReader {
  readMessages(page: {
    after: number;
    limit: number;
  }): Promise<{ messages: readonly { createdAt: number }[] }>;
}

/**
 * Returns the day on which the conversation began. It is part of the system text: the same in every run and in forks,
 * so that the provider's cache of earlier requests applies.
 */
export async function firstDay(session: FirstMessageReader): Promise<string> {
  const { messages } = await session.readMessages({ after: 0, limit: 1 });
  return dayOf(messages[0]?.createdAt ?? Date.now());
}
