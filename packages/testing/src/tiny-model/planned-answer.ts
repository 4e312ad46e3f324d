export interface PlannedAnswer {
  /** A condition of the chat template on the message before the answer, such as `last.role == "tool"`. Default: true. */
  when?: string;
  /** The answer as the model writes it. A call is `toolCallText`. */
  text: string;
}
