/** One model at one server: the same model may be loaded with another window elsewhere. */
export interface ServedModel {
  /** The API's address, without a slash at its end. */
  baseUrl: string;
  model: string;
}

/**
 * A port: keeps, over runs and processes, the windows that refusals taught. What was learned stands above what a configuration or a
 * catalogue says, until the server itself reports another length.
 */
export interface WindowMemory {
  /** Tokens; undefined when nothing was learned. */
  learnedWindow(server: ServedModel): Promise<number | undefined>;
  learnWindow(server: ServedModel, windowTokens: number): Promise<void>;
  forgetWindow(server: ServedModel): Promise<void>;
}
