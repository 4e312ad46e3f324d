/** What a tool can learn about the session's context, and what it can expect of a compaction. */
export interface ContextControl {
  /** Returns the facts that compactions keep word for word, as the newest call of `todo` with facts has set them. */
  keptFacts(): Promise<readonly string[]>;
  /** Returns the size of facts, and the size that compactions can keep in the session's window. */
  measureFacts(facts: readonly string[]): Promise<{ tokens: number; maxTokens: number }>;
  /** Returns what a compaction before the next step would do. Changes nothing. */
  forecast(): Promise<CompactionForecast>;
}

/** `tokensAfter` is an estimate: a model may write a part of the summary. */
export type CompactionForecast =
  | { isWorthIt: true; tokensBefore: number; tokensAfter: number }
  | { isWorthIt: false; reason: string };
