type Json = Record<string, unknown>;

/** What the gateway uses of one event of a stream, or of a whole answer. */
export interface AnswerFacts {
  text: string;
  reasoning: string;
  /** Arguments of calls. */
  called: string;
  hasCall: boolean;
  /** How the answer ended: because it reached its maximum length, or for another reason. */
  end: 'length' | 'other' | undefined;
}

export const NOTHING: AnswerFacts = {
  text: '',
  reasoning: '',
  called: '',
  hasCall: false,
  end: undefined,
};

/** Reads and joins the whole answers of a protocol. */
export interface WholeForm {
  wholeFacts(answer: Json): AnswerFacts;
  /** Returns a whole answer and the one that continues it as one. */
  joined(first: Json, next: Json): Json;
}
