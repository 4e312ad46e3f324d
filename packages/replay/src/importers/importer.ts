import type { FinishReason, JsonObject, JsonValue } from '@longhaul/protocol';
import type { SessionFormat } from './report.ts';
import type { SessionBuilder } from './session-builder.ts';

/**
 * Reads the objects of one format, in the order of the file, and tells a builder what they are. It must not throw, whatever it is
 * given, and says through `builder.report.skip` what it leaves out.
 */
export interface Importer {
  readonly format: SessionFormat;
  /** A row of a JSONL file, or an element of the list with this name in a JSON document (`''`: the document is the list). */
  read(row: JsonObject, list: string): void;
  /** What stands in a JSON document beside its list, before or after it. */
  field?(name: string, value: JsonValue): void;
  /** The file is over. */
  end?(): void;
}

export type CreateImporter = (builder: SessionBuilder) => Importer;

const FINISH_REASONS: Record<string, FinishReason> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  tool_calls: 'tool-calls',
  'tool-calls': 'tool-calls',
  toolUse: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  content_filter: 'content-filter',
  'content-filter': 'content-filter',
  refusal: 'content-filter',
  error: 'error',
};

export function finishReason(word: string | undefined): FinishReason | undefined {
  if (word === undefined) return undefined;
  return Object.hasOwn(FINISH_REASONS, word) ? FINISH_REASONS[word] : 'other';
}
