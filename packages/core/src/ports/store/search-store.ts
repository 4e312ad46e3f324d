export interface SearchHit {
  sessionId: string;
  messageId: string;
  sequence: number;
  partIndex: number;
  /** The text around the match. */
  snippet: string;
}

/** Searches the text of messages. */
export interface SearchStore {
  /**
   * Returns parts whose text contains all the terms, best match first. Identifiers also match by their words
   * (`retryAfter` by "retry"). Only closed parts are found. Terms are literal: there is no query syntax.
   */
  search(terms: string, options?: { sessionId?: string; limit?: number }): Promise<SearchHit[]>;
}
