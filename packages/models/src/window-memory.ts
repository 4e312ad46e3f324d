/** One model at one server: the same model may be loaded with another window elsewhere. */
export interface ServedModel {
  /** The API's address, without a slash at its end. */
  baseUrl: string;
  model: string;
}

/**
 * A port: keeps, over runs and processes, the windows that refusals taught. What was learned stands above what a configuration or a
 * catalogue says, until the server itself reports another length than it did then (the model was loaded anew), and for
 * thirty days at the most.
 */
export interface WindowMemory {
  /**
   * @param reportedTokens What the server reports now, if it does.
   * @returns Tokens; undefined when nothing was learned, or nothing that still holds.
   */
  learnedWindow(server: ServedModel, reportedTokens?: number): Promise<number | undefined>;
  /** @param reportedTokens What the server reported at that time, if it did. */
  learnWindow(server: ServedModel, windowTokens: number, reportedTokens?: number): Promise<void>;
  forgetWindow(server: ServedModel): Promise<void>;
}
