import { isObject, type JsonObject, type JsonValue, type ToolOutputContent } from '@longhaul/protocol';
import { readContent, readParts, typeName } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import {
  compactJson,
  countAt,
  instantAt,
  objectAt,
  objectsAt,
  parseArguments,
  textAt,
} from './json-fields.ts';
import type { SessionBuilder } from './session-builder.ts';
import { chatUsage } from './usage.ts';

/** Types of messages that only the person sees. */
const SHOWN_ONLY = new Set(['info', 'warning', 'error']);

/** Whether an element of a document is a message of a Gemini CLI chat. */
export function isGeminiMessage(element: JsonObject, fields: ReadonlyMap<string, JsonValue>): boolean {
  const type = textAt(element, 'type') ?? '';
  if (type !== 'user' && type !== 'gemini' && !SHOWN_ONLY.has(type)) return false;
  return 'content' in element && (fields.has('projectHash') || (fields.has('sessionId') && 'id' in element));
}

/** Whether a row of a JSONL file is from a Gemini CLI chat. Newer versions write one message a line. */
export function isGeminiRow(row: JsonObject): boolean {
  if (textAt(row, 'projectHash') !== undefined && textAt(row, 'sessionId') !== undefined) return true;
  return textAt(row, 'type') === 'gemini' && 'content' in row && textAt(row, 'id') !== undefined;
}

/** Reads a chat of Gemini CLI: a document with `messages`, or a line of metadata and then one message a line. */
export function createGeminiImporter(builder: SessionBuilder): Importer {
  return new GeminiImporter(builder);
}

/** What is already read of a message. Newer versions write a message again when its calls have results. */
interface ReadMessage {
  text: string;
  thoughts: number;
  answered: Set<string>;
}

/** Number of messages that can still be written again. */
const MAX_REWRITTEN = 1_000;

class GeminiImporter implements Importer {
  readonly format = 'gemini-cli';
  readonly #builder: SessionBuilder;
  readonly #read = new Map<string, ReadMessage>();

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    const { report } = this.#builder.report;
    if (name === 'sessionId' && typeof value === 'string') report.sourceId ??= value;
    if (name === 'summary' && typeof value === 'string') report.title = value;
    const first = name === 'directories' && Array.isArray(value) ? value[0] : undefined;
    if (typeof first === 'string') report.workspace ??= first;
  }

  read(row: JsonObject): void {
    const type = textAt(row, 'type');
    const changes = objectAt(row, '$set');
    if (changes !== undefined) this.#metadata(changes);
    else if ('$rewindTo' in row) this.#builder.report.report.branches += 1;
    else if (type === undefined) this.#metadata(row);
    else if (type === 'gemini') this.#answer(row);
    else if (type === 'user') this.#user(row);
    else if (SHOWN_ONLY.has(type)) this.#builder.report.skip(`messages of the type ${type}`);
    else this.#builder.report.lose(`messages of the type ${typeName(row)}`, row);
  }

  #metadata(row: JsonObject): void {
    for (const [name, value] of Object.entries(row)) if (value !== undefined) this.field(name, value);
    for (const message of objectsAt(row, 'messages')) this.read(message);
  }

  #user(row: JsonObject): void {
    const { isKnown } = this.#state(row);
    if (!isKnown)
      this.#builder.user(readParts(row['content'], this.#builder.report), {
        createdAt: instantAt(row, 'timestamp'),
      });
  }

  #state(row: JsonObject): { isKnown: boolean; state: ReadMessage } {
    const id = textAt(row, 'id');
    const known = id === undefined ? undefined : this.#read.get(id);
    const state = known ?? { text: '', thoughts: 0, answered: new Set() };
    if (id !== undefined) this.#read.set(id, state);
    const [oldest] = this.#read.size > MAX_REWRITTEN ? this.#read.keys() : [];
    if (oldest !== undefined) this.#read.delete(oldest);
    return { isKnown: known !== undefined, state };
  }

  #answer(row: JsonObject): void {
    const { state } = this.#state(row);
    const createdAt = instantAt(row, 'timestamp');
    this.#builder.step(textAt(row, 'id'), {
      createdAt,
      model: textAt(row, 'model'),
      usage: usageOf(objectAt(row, 'tokens')),
    });
    const thoughts = objectsAt(row, 'thoughts');
    for (const thought of thoughts.slice(state.thoughts))
      this.#builder.reasoning([textAt(thought, 'subject'), textAt(thought, 'description')].join('\n').trim());
    state.thoughts = Math.max(state.thoughts, thoughts.length);
    this.#text(row['content'], state);
    for (const call of objectsAt(row, 'toolCalls')) this.#call(call, { state, createdAt });
  }

  #text(content: JsonValue | undefined, state: ReadMessage): void {
    const blocks = readContent(content, this.#builder.report);
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (text === state.text) return;
    this.#builder.text(text.startsWith(state.text) ? text.slice(state.text.length) : text);
    state.text = text;
  }

  #call(call: JsonObject, { state, createdAt }: { state: ReadMessage; createdAt: number | undefined }): void {
    const name = textAt(call, 'name') ?? 'unknown';
    const id = textAt(call, 'id') ?? `call-${name}`;
    if (state.answered.has(id)) return;
    const startedAt = createdAt;
    // A call that was written without its result is still open, and the builder knows it.
    this.#builder.call(id, { name, ...parseArguments(call['args']), startedAt });
    const output = outputOf(call['result'], this.#builder);
    const status = textAt(call, 'status') ?? '';
    if (output === undefined) return;
    state.answered.add(id);
    const isError = status === 'error' || status === 'cancelled';
    this.#builder.result(id, { output, isError, endedAt: instantAt(call, 'timestamp') });
  }
}

/** Returns undefined if the call has no result yet. */
function outputOf(result: JsonValue | undefined, builder: SessionBuilder): ToolOutputContent[] | undefined {
  if (result === undefined || result === null) return undefined;
  if (!Array.isArray(result)) return readContent(result, builder.report);
  return result.flatMap((piece) => {
    const answer = isObject(piece) ? objectAt(objectAt(piece, 'functionResponse'), 'response') : undefined;
    return answer === undefined ? readContent([piece], builder.report) : responseText(answer);
  });
}

function responseText(response: JsonObject): ToolOutputContent[] {
  const text = textAt(response, 'output') ?? textAt(response, 'error') ?? compactJson(response) ?? '';
  return text === '' ? [] : [{ type: 'text', text }];
}

/** Gemini counts thoughts beside the output. */
function usageOf(tokens: JsonObject | undefined) {
  const thoughts = countAt(tokens, 'thoughts');
  return chatUsage({
    prompt_tokens: countAt(tokens, 'input') + countAt(tokens, 'tool'),
    completion_tokens: countAt(tokens, 'output') + thoughts,
    completion_tokens_details: { reasoning_tokens: thoughts },
    prompt_tokens_details: { cached_tokens: countAt(tokens, 'cached') },
  });
}
