import { isObject, type JsonObject, type JsonValue, type MessageStatus, type Part } from '@longhaul/protocol';
import { readContent, readParts, typeName } from './content-blocks.ts';
import { finishReason, type Importer } from './importer.ts';
import { instantAt, listAt, numberAt, objectAt, parseArguments, textAt } from './json-fields.ts';
import { RecentKeys } from './recent-keys.ts';
import type { SessionBuilder } from './session-builder.ts';
import { splitUsage } from './usage.ts';

/** Whether a row of a JSONL file is from pi. */
export function isPiRow(row: JsonObject): boolean {
  const type = textAt(row, 'type');
  if (type === 'message') return textAt(objectAt(row, 'message'), 'role') !== undefined;
  if (type === 'session') return textAt(row, 'id') !== undefined && textAt(row, 'cwd') !== undefined;
  if (type === 'compaction') return textAt(row, 'summary') !== undefined;
  return (
    (type === 'model_change' || type === 'thinking_level_change') && textAt(row, 'timestamp') !== undefined
  );
}

/**
 * Reads sessions of pi. Version 1 is a list; versions 2 and 3 are a tree, whose branches are all kept in the order of
 * the file.
 */
export function createPiImporter(builder: SessionBuilder): Importer {
  return new PiImporter(builder);
}

class PiImporter implements Importer {
  readonly format = 'pi';
  readonly #builder: SessionBuilder;
  readonly #rows = new RecentKeys(100_000);
  #lastId: string | undefined;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  read(row: JsonObject): void {
    const type = textAt(row, 'type');
    if (type === 'session') {
      this.#header(row);
      return;
    }
    if (this.#isRepeated(row)) {
      this.#builder.report.skip('duplicate rows');
      return;
    }
    const createdAt = instantAt(row, 'timestamp');
    const message = objectAt(row, 'message');
    const summary = textAt(row, 'summary');
    if (type === 'message' && message !== undefined) this.#message(message, createdAt);
    else if (type === 'compaction' && summary !== undefined)
      this.#builder.compaction(summary, { tokensBefore: numberAt(row, 'tokensBefore'), createdAt });
    else if (type === 'branch_summary' && summary !== undefined) this.#inject(summary, createdAt);
    else if (type === 'custom_message') this.#inject(row['content'], createdAt);
    else if (type === 'session_info') this.#builder.report.report.title = textAt(row, 'name');
    else this.#builder.report.skip(`rows of the type ${typeName(row)}`);
  }

  #header(row: JsonObject): void {
    const { report } = this.#builder.report;
    report.sourceId ??= textAt(row, 'id');
    report.workspace ??= textAt(row, 'cwd');
  }

  #isRepeated(row: JsonObject): boolean {
    const id = textAt(row, 'id');
    if (id === undefined) return false;
    if (this.#rows.has(id)) return true;
    this.#rows.add(id);
    const parent = textAt(row, 'parentId');
    if (this.#lastId !== undefined && parent !== this.#lastId) this.#builder.report.report.branches += 1;
    this.#lastId = id;
    return false;
  }

  #message(message: JsonObject, createdAt: number | undefined): void {
    const { report } = this.#builder;
    const role = textAt(message, 'role');
    if (role === 'user') this.#builder.user(readParts(message['content'], report), { createdAt });
    else if (role === 'assistant') this.#assistant(message, createdAt);
    else if (role === 'toolResult')
      this.#builder.result(textAt(message, 'toolCallId') ?? '', {
        output: readContent(message['content'], report),
        isError: message['isError'] === true,
        endedAt: createdAt,
      });
    else if (role === 'bashExecution') this.#inject(shellText(message), createdAt);
    else if (role === 'custom' || role === 'hookMessage') this.#inject(message['content'], createdAt);
    else report.lose(`messages of the role ${(role ?? 'unknown').slice(0, 40)}`, message);
  }

  #inject(content: JsonValue | undefined, createdAt: number | undefined): void {
    this.#builder.user(readParts(content, this.#builder.report), { createdAt, isInjected: true });
  }

  #assistant(message: JsonObject, createdAt: number | undefined): void {
    const model = textAt(message, 'model');
    const provider = textAt(message, 'provider');
    const stop = textAt(message, 'stopReason');
    this.#builder.step(undefined, {
      createdAt,
      model: model !== undefined && provider !== undefined ? `${provider}/${model}` : model,
      usage: splitUsage(objectAt(message, 'usage')),
      finishReason: finishReason(stop === 'aborted' ? undefined : stop),
      cost: numberAt(objectAt(objectAt(message, 'usage'), 'cost'), 'total') || undefined,
      status: STATUS[stop ?? ''],
    });
    const text = textAt(message, 'content');
    if (text !== undefined) this.#builder.text(text);
    for (const block of listAt(message, 'content')) this.#block(block, createdAt);
    const error = textAt(message, 'errorMessage');
    if (error !== undefined) this.#builder.part({ type: 'notice', text: error, forModel: false });
    this.#builder.endStep();
  }

  #block(block: JsonValue, startedAt: number | undefined): void {
    const type = isObject(block) ? textAt(block, 'type') : undefined;
    if (isObject(block) && type === 'toolCall') {
      const name = textAt(block, 'name') ?? 'unknown';
      this.#builder.call(textAt(block, 'id') ?? `call-${name}`, {
        name,
        ...parseArguments(block['arguments']),
        startedAt,
      });
    } else if (isObject(block) && type === 'thinking') {
      const signature = textAt(block, 'thinkingSignature');
      this.#builder.reasoning(
        textAt(block, 'thinking') ?? '',
        signature === undefined ? undefined : { pi: { signature } },
      );
    } else {
      for (const part of readParts([block], this.#builder.report)) this.#addPart(part);
    }
  }

  #addPart(part: Part): void {
    if (part.type === 'text') this.#builder.text(part.text);
    else this.#builder.part(part);
  }
}

const STATUS: Record<string, MessageStatus | undefined> = { aborted: 'interrupted', error: 'failed' };

/** Returns a command that the user ran, in the form in which the agent saw it. */
function shellText(message: JsonObject): string {
  const exitCode = numberAt(message, 'exitCode') ?? 0;
  const failure = exitCode === 0 ? '' : `\n(exit code ${exitCode})`;
  return `Ran \`${textAt(message, 'command') ?? ''}\`\n${textAt(message, 'output') ?? ''}${failure}`;
}
