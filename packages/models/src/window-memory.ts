/** A model at a server. Another server may load the same model with another window. */
export interface ServedModel {
  /** The API's address without a slash at its end. */
  baseUrl: string;
  model: string;
}

/**
 * A port that keeps windows learned from refusals between runs and processes. A learned window takes precedence over
 * the configuration and the catalogue. It expires after thirty days, or when the server reports another length than at
 * that time, because the model was loaded again.
 */
export interface WindowMemory {
  /**
   * @param reportedTokens The server's current report, if any.
   * @returns Tokens; undefined if no window was learned, or if it has expired.
   */
  learnedWindow(server: ServedModel, reportedTokens?: number): Promise<number | undefined>;
  /** @param reportedTokens The server's report at that time, if any. */
  learnWindow(server: ServedModel, windowTokens: number, reportedTokens?: number): Promise<void>;
  forgetWindow(server: ServedModel): Promise<void>;
}
