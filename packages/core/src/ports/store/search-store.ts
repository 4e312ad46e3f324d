/** A match of a search in the text of sessions. */
export interface SearchHit {
  sessionId: string;
  messageId: string;
  sequence: number;
  partIndex: number;
  /** The text around the match. */
  snippet: string;
}

/** Which sessions are searched, and how many matches are returned. */
export interface SearchOptions {
  /** Default: all sessions. */
  sessionId?: string | undefined;
  /** Default 20. */
  limit?: number;
  includeReverted?: boolean;
}

/** Searches the text of messages. */
export interface SearchStore {
  /**
   * Returns parts whose text contains all the terms, best match first. Identifiers also match by their words
   * (`retryAfter` by "retry"). Only closed parts are found. Terms are literal: there is no query syntax.
   *
   * @param options.includeReverted Whether parts of reverted messages are found. Default: false.
   */
  search(terms: string, options?: SearchOptions): Promise<SearchHit[]>;
}
