import type { FinishReason, JsonObject, JsonValue } from '@longhaul/protocol';
import type { SessionFormat } from './report.ts';
import type { SessionBuilder } from './session-builder.ts';

/**
 * Reads the objects of one format in the order of the file, and passes their content to a builder. It must not throw
 * for any object, and must report skipped content with `builder.report.skip`.
 */
export interface Importer {
  readonly format: SessionFormat;
  /**
   * Reads a row of a JSONL file, or an element of a list in a JSON document. `list` is the list's name, or `''` if the
   * document is the list.
   */
  read(row: JsonObject, list: string): void;
  /** Reads another field of a JSON document, before or after its list. */
  field?(name: string, value: JsonValue): void;
  /** Called at the end of the file. */
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
