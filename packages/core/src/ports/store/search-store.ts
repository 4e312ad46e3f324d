export interface SearchHit {
  sessionId: string;
  messageId: string;
  sequence: number;
  partIndex: number;
  /** A piece of the text around the match. */
  snippet: string;
}

/** Finds what was said. */
export interface SearchStore {
  /**
   * Parts whose text holds all the terms, best first. Identifiers are found by their words too (`retryAfter` by "retry").
   * A part is found once it is closed. Terms are literal: no query syntax.
   */
  search(terms: string, options?: { sessionId?: string; limit?: number }): Promise<SearchHit[]>;
}
