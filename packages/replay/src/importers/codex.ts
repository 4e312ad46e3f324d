import { isObject, type JsonObject } from '@longhaul/protocol';
import { readContent, readParts, typeName } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { instantAt, objectAt, objectsAt, parseArguments, textAt } from './json-fields.ts';
import { textOf } from './part-text.ts';
import type { ReportDraft } from './report.ts';
import type { SessionBuilder } from './session-builder.ts';
import { codexUsage } from './usage.ts';

const ENVELOPES = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted']);
const BARE_ITEMS = new Set(['function_call', 'function_call_output', 'local_shell_call', 'custom_tool_call']);

/** Items whose content is not text, or not for the model. */
const SILENT_ITEMS = new Set(['ghost_snapshot', 'compaction', 'compaction_summary', 'compaction_trigger']);

/** Blocks in user messages that Codex wrote: instruction files, the environment, notes on an interrupted turn. */
const INJECTED = /^\s*(?:# AGENTS\.md instructions|<([a-z_]+)>[\s\S]*<\/\1>\s*$)/;

/** Whether a row of a JSONL file is from a Codex rollout. The first versions had no envelope around their items. */
export function isCodexRow(row: JsonObject): boolean {
  const type = textAt(row, 'type') ?? '';
  if (ENVELOPES.has(type)) return isObject(row['payload']);
  if (BARE_ITEMS.has(type)) return textAt(row, 'call_id') !== undefined;
  const first = objectsAt(row, 'content')[0];
  return type === 'message' && /^(?:in|out)put_text$/.test(textAt(first, 'type') ?? '');
}

/** Reads items of responses. A step ends at the first answer after a result. */
export function createCodexImporter(builder: SessionBuilder): Importer {
  return new CodexImporter(builder);
}

class CodexImporter implements Importer {
  readonly format = 'codex';
  readonly #builder: SessionBuilder;
  #provider = 'openai';
  #model: string | undefined;
  #stepIsOver = true;
  #searches = 0;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  read(row: JsonObject): void {
    const type = textAt(row, 'type') ?? '';
    const payload = objectAt(row, 'payload');
    const at = instantAt(row, 'timestamp');
    if (!ENVELOPES.has(type)) this.#item(row, at, payload !== undefined);
    else if (payload === undefined) this.#builder.report.skip(`rows of the type ${type} without content`);
    else if (type === 'response_item') this.#item(payload, at);
    else if (type === 'compacted') this.#compaction(payload, at);
    else if (type === 'event_msg') this.#event(payload);
    else this.#context(payload, type);
  }

  /** Newer versions record the messages that the model sees after the compaction. */
  #compaction(payload: JsonObject, createdAt: number | undefined): void {
    const view = viewOf(objectsAt(payload, 'replacement_history'), this.#builder.report);
    this.#builder.compaction(textAt(payload, 'message') ?? '', { createdAt, view });
  }

  #context(payload: JsonObject, type: string): void {
    const { report } = this.#builder.report;
    this.#provider = textAt(payload, 'model_provider') ?? this.#provider;
    this.#model = textAt(payload, 'model') ?? this.#model;
    report.workspace ??= textAt(payload, 'cwd');
    if (type !== 'session_meta') return;
    report.sourceId ??= textAt(payload, 'id');
    const instructions =
      textAt(objectAt(payload, 'base_instructions'), 'text') ??
      textAt(payload, 'base_instructions') ??
      textAt(payload, 'instructions');
    this.#builder.report.system(instructions ?? '');
  }

  /** Only the token count is read. The other events repeat the items for display. */
  #event(payload: JsonObject): void {
    const usage = codexUsage(objectAt(objectAt(payload, 'info'), 'last_token_usage'));
    if (textAt(payload, 'type') !== 'token_count') {
      this.#builder.report.skip('event_msg rows: copies for display');
      return;
    }
    if (usage === undefined) return;
    if (this.#builder.isInStep) this.#builder.describeStep({ usage });
    this.#stepIsOver = true;
  }

  #item(item: JsonObject, at: number | undefined, isEnvelope = false): void {
    const type = textAt(item, 'type') ?? '';
    if (type === 'message') this.#message(item, at);
    else if (type === 'reasoning') this.#reasoning(item, at);
    else if (type.endsWith('_output')) this.#output(item, at);
    else if (type.endsWith('_call')) this.#call(item, at);
    else if (type === 'agent_message') this.#subagent(item, at);
    else if (isEnvelope || SILENT_ITEMS.has(type))
      this.#builder.report.skip(`items of the type ${typeName(item)}`);
    else this.#builder.report.lose(`items of the type ${typeName(item)}`, item);
  }

  /** The answer of a subagent, which the model sees like a message of a user. */
  #subagent(item: JsonObject, createdAt: number | undefined): void {
    const parts = readParts(item['content'], this.#builder.report);
    this.#builder.user(parts, { createdAt, isInjected: true });
    this.#stepIsOver = true;
  }

  #message(item: JsonObject, at: number | undefined): void {
    const { report } = this.#builder;
    const role = textAt(item, 'role');
    const content = readContent(item['content'], report);
    if (role === 'assistant') {
      this.#answer(at);
      for (const block of content) if (block.type === 'text') this.#builder.text(block.text);
    } else if (role === 'user') {
      const isInjected = content.every((block) => block.type === 'text' && INJECTED.test(block.text));
      this.#builder.user(readParts(item['content'], report), { createdAt: at, isInjected });
    } else if (role === 'system' || role === 'developer') {
      report.system(textOf(content));
    } else {
      report.skip('messages of an unknown role');
    }
  }

  #reasoning(item: JsonObject, at: number | undefined): void {
    const texts = [...objectsAt(item, 'summary'), ...objectsAt(item, 'content')].map((part) =>
      textAt(part, 'text'),
    );
    const text = texts.filter((part) => part !== undefined).join('\n\n');
    if (text === '') {
      this.#builder.report.skip('reasoning without readable text');
      return;
    }
    this.#answer(at);
    this.#builder.reasoning(text);
  }

  #call(item: JsonObject, at: number | undefined): void {
    this.#answer(at);
    const type = textAt(item, 'type') ?? '';
    const isSearch = type === 'web_search_call';
    const id = textAt(item, 'call_id') ?? textAt(item, 'id') ?? this.#searchId(type);
    const facts = isSearch || type === 'local_shell_call' ? shellOrSearch(item) : functionCall(item);
    this.#builder.call(id, { ...facts, name: facts.name ?? type.slice(0, -'_call'.length), startedAt: at });
    // The provider runs the search, and the file does not contain its result.
    if (isSearch) this.#builder.result(id, { output: [], endedAt: at });
  }

  #searchId(type: string): string {
    this.#searches += 1;
    return `${type}-${this.#searches}`;
  }

  #output(item: JsonObject, at: number | undefined): void {
    const raw = item['output'];
    const isError = isObject(raw) && raw['success'] === false;
    const output = readContent(isObject(raw) ? (raw['content'] ?? raw['output']) : raw, this.#builder.report);
    this.#builder.result(textAt(item, 'call_id') ?? '', { output, isError, endedAt: at });
    this.#stepIsOver = true;
  }

  #answer(at: number | undefined): void {
    if (this.#stepIsOver) this.#builder.endStep();
    this.#stepIsOver = false;
    const model = this.#model === undefined ? undefined : `${this.#provider}/${this.#model}`;
    if (!this.#builder.isInStep) this.#builder.step(undefined, { createdAt: at, model });
  }
}

/** Returns the text of the messages of the conversation, or undefined if a part of it is encrypted. */
function viewOf(items: readonly JsonObject[], report: ReportDraft): string | undefined {
  if (items.some((item) => 'encrypted_content' in item)) return undefined;
  const texts = items
    .filter((item) => /^(?:user|assistant)$/.test(textAt(item, 'role') ?? ''))
    .map((item) => textOf(readContent(item['content'], report)));
  return texts.filter((text) => text !== '').join('\n\n') || undefined;
}

function functionCall(item: JsonObject) {
  const name = textAt(item, 'name');
  const free = textAt(item, 'input');
  // The input of a custom tool is free text, not JSON.
  return free === undefined
    ? { name, ...parseArguments(item['arguments']) }
    : { name, input: { input: free } };
}

function shellOrSearch(item: JsonObject) {
  return { name: undefined, input: objectAt(item, 'action') ?? {} };
}
