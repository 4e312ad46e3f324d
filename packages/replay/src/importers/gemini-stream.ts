import type { JsonObject } from '@longhaul/protocol';
import { readContent, readParts } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { compactJson, instantAt, objectAt, parseArguments, textAt } from './json-fields.ts';
import type { SessionBuilder } from './session-builder.ts';

/** Whether a row is from `gemini --output-format stream-json`. */
export function isGeminiStreamRow(row: JsonObject): boolean {
  const type = textAt(row, 'type');
  if (type === 'init') return textAt(row, 'session_id') !== undefined && textAt(row, 'model') !== undefined;
  if (type === 'message') return textAt(row, 'role') !== undefined && 'content' in row && 'timestamp' in row;
  return (type === 'tool_use' || type === 'tool_result') && textAt(row, 'tool_id') !== undefined;
}

/** Reads events in order. Pieces of a text are one text, and a step ends at the first answer after a result. */
export function createGeminiStreamImporter(builder: SessionBuilder): Importer {
  return new GeminiStreamImporter(builder);
}

class GeminiStreamImporter implements Importer {
  readonly format = 'gemini-cli';
  readonly #builder: SessionBuilder;
  #model: string | undefined;
  #isOver = true;
  #pieces: string[] = [];

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  read(row: JsonObject): void {
    const type = textAt(row, 'type') ?? '';
    const isPiece = type === 'message' && textAt(row, 'role') === 'assistant';
    if (!isPiece) this.#endText();
    const at = instantAt(row, 'timestamp');
    if (type === 'init') this.#start(row);
    else if (type === 'message') this.#message(row, at);
    else if (type === 'tool_use') this.#call(row, at);
    else if (type === 'tool_result') this.#result(row, at);
    else if (type === 'result' || type === 'error') this.#builder.report.skip(`rows of the type ${type}`);
    else this.#builder.report.lose('rows of an unknown type', row);
  }

  end(): void {
    this.#endText();
  }

  #start(row: JsonObject): void {
    this.#builder.report.report.sourceId ??= textAt(row, 'session_id');
    this.#model = textAt(row, 'model');
  }

  #message(row: JsonObject, createdAt: number | undefined): void {
    const { report } = this.#builder;
    if (textAt(row, 'role') !== 'assistant') {
      this.#builder.user(readParts(row['content'], report), { createdAt });
      this.#isOver = true;
      return;
    }
    this.#answer(createdAt);
    if (row['delta'] !== true) this.#endText();
    for (const block of readContent(row['content'], report))
      if (block.type === 'text') this.#pieces.push(block.text);
    if (row['delta'] !== true) this.#endText();
  }

  #endText(): void {
    if (this.#pieces.length > 0) this.#builder.text(this.#pieces.join(''));
    this.#pieces = [];
  }

  #call(row: JsonObject, startedAt: number | undefined): void {
    this.#answer(startedAt);
    const name = textAt(row, 'tool_name') ?? 'unknown';
    const id = textAt(row, 'tool_id') ?? `call-${name}`;
    this.#builder.call(id, { name, ...parseArguments(row['parameters']), startedAt });
  }

  #result(row: JsonObject, endedAt: number | undefined): void {
    const error = objectAt(row, 'error');
    const text = textAt(error, 'message') ?? (error === undefined ? undefined : compactJson(error));
    const output = readContent(row['output'] ?? text ?? '', this.#builder.report);
    const isError = textAt(row, 'status') === 'error';
    this.#builder.result(textAt(row, 'tool_id') ?? '', { output, isError, endedAt });
    this.#isOver = true;
  }

  #answer(createdAt: number | undefined): void {
    if (this.#isOver) this.#builder.endStep();
    this.#isOver = false;
    if (!this.#builder.isInStep) this.#builder.step(undefined, { createdAt, model: this.#model });
  }
}
