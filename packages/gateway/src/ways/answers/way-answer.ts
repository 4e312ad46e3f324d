import type { ObservedUsage } from '../../compaction/types.ts';
import type { AnswerFacts, WholeForm } from '../../proxy/answer-form.ts';
import type { Json } from '../../wire/json.ts';

/** One streamed answer as the client sees it. It may be assembled from several streams of the upstream. */
export interface WayAnswer {
  /** Reads an event that the client gets. */
  note(event: Json): AnswerFacts;
  /** Announces a stream that continues the answer. */
  continueAnswer(written: ObservedUsage): void;
  /** Returns an event of a continuing stream as the client must get it. Called after `note`. */
  rewritten(event: Json): Json[];
  /** Returns events that add a text of the gateway to the answer. */
  textEvents(text: string): Json[];
  /** Returns the events that end the answer because its maximum length is reached. */
  lengthEnd(): Json[];
}

/** Reads and joins the answers of a protocol. */
export interface AnswerForm extends WholeForm {
  start(): WayAnswer;
  /** Returns an event as bytes of a stream. */
  eventText(event: Json): string;
}
