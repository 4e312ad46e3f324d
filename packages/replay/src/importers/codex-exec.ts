import type { JsonObject, ToolOutputContent } from '@longhaul/protocol';
import { readContent, typeName } from './content-blocks.ts';
import type { CallFacts, ResultFacts } from './facts.ts';
import type { Importer } from './importer.ts';
import { compactJson, listAt, numberAt, objectAt, parseArguments, textAt } from './json-fields.ts';
import type { ReportDraft } from './report.ts';
import type { SessionBuilder } from './session-builder.ts';
import { codexUsage } from './usage.ts';

const ROWS = /^(?:thread|turn|item)\.(?:started|updated|completed|failed)$/;

/** Whether a row is from `codex exec --json`. */
export function isCodexExecRow(row: JsonObject): boolean {
  return ROWS.test(textAt(row, 'type') ?? '') && !('data' in row) && !('payload' in row);
}

/** Reads events of `codex exec --json`. They do not contain the task. A step ends at the first answer after a result. */
export function createCodexExecImporter(builder: SessionBuilder): Importer {
  return new CodexExecImporter(builder);
}

class CodexExecImporter implements Importer {
  readonly format = 'codex';
  readonly #builder: SessionBuilder;
  /** Items that have started and not ended. */
  readonly #open = new Map<string, JsonObject>();
  #isOver = true;
  #items = 0;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  read(row: JsonObject): void {
    const type = textAt(row, 'type') ?? '';
    const item = objectAt(row, 'item');
    if (type === 'thread.started') this.#builder.report.report.sourceId ??= textAt(row, 'thread_id');
    else if (type === 'turn.completed') this.#endTurn(row);
    else if (type === 'turn.failed' || type === 'error')
      this.#builder.report.skip(`rows of the type ${type}`);
    else if (item === undefined) {
      if (type !== 'turn.started') this.#builder.report.lose('rows of an unknown type', row);
    } else if (type === 'item.completed') this.#completed(item);
    else this.#open.set(this.#idOf(item), item);
  }

  end(): void {
    for (const [id, item] of this.#open) {
      const call = callOf(item);
      if (call === undefined) continue;
      this.#answer();
      this.#builder.call(id, call);
    }
  }

  #endTurn(row: JsonObject): void {
    if (this.#builder.isInStep) this.#builder.describeStep({ usage: codexUsage(objectAt(row, 'usage')) });
    this.#isOver = true;
  }

  #idOf(item: JsonObject): string {
    this.#items += 1;
    return textAt(item, 'id') ?? `item-${this.#items}`;
  }

  #completed(item: JsonObject): void {
    const { report } = this.#builder;
    const type = kindOf(item);
    const id = this.#idOf(item);
    this.#open.delete(id);
    const call = callOf(item);
    if (type === 'agent_message' || type === 'assistant_message') {
      this.#answer();
      this.#builder.text(textAt(item, 'text') ?? '');
    } else if (type === 'reasoning') {
      this.#answer();
      this.#builder.reasoning(textAt(item, 'text') ?? '');
    } else if (call !== undefined) {
      this.#answer();
      this.#builder.call(id, call);
      this.#builder.result(id, resultOf(item, report));
      this.#isOver = true;
    } else if (type === 'error') report.skip('errors that Codex showed');
    else report.lose(`items of the type ${typeName(item)}`, item);
  }

  #answer(): void {
    if (this.#isOver) this.#builder.endStep();
    this.#isOver = false;
    if (!this.#builder.isInStep) this.#builder.step(undefined);
  }
}

/** Older versions name the type `item_type`. */
function kindOf(item: JsonObject): string {
  return textAt(item, 'type') ?? textAt(item, 'item_type') ?? '';
}

/** Returns the call that an item is, or undefined if it is text. */
function callOf(item: JsonObject): CallFacts | undefined {
  const type = kindOf(item);
  if (type === 'command_execution')
    return { name: 'shell', input: { command: textAt(item, 'command') ?? '' } };
  if (type === 'mcp_tool_call') {
    const name = [textAt(item, 'server'), textAt(item, 'tool') ?? 'unknown'].filter(Boolean).join('.');
    return { name, ...parseArguments(item['arguments']) };
  }
  if (type === 'web_search') return { name: 'web_search', input: { query: textAt(item, 'query') ?? '' } };
  if (type === 'file_change') return { name: 'apply_patch', input: { changes: listAt(item, 'changes') } };
  if (type === 'todo_list') return { name: 'update_plan', input: { plan: listAt(item, 'items') } };
  if (type === 'collab_tool_call') {
    const { id: _, type: __, status: ___, agents_states: ____, ...input } = item;
    return { name: textAt(item, 'tool') ?? 'collab', input };
  }
  return undefined;
}

function resultOf(item: JsonObject, report: ReportDraft): ResultFacts {
  const exitCode = numberAt(item, 'exit_code');
  return {
    output: outputOf(item, report),
    isError: textAt(item, 'status') === 'failed' || (exitCode !== undefined && exitCode !== 0),
    metadata: exitCode === undefined ? undefined : { exitCode },
  };
}

function outputOf(item: JsonObject, report: ReportDraft): ToolOutputContent[] {
  const result = item['result'];
  const error = textAt(objectAt(item, 'error'), 'message') ?? textAt(item, 'error');
  const content = objectAt(item, 'result')?.['content'] ?? (typeof result === 'string' ? result : undefined);
  const states = objectAt(item, 'agents_states');
  return readContent(
    textAt(item, 'aggregated_output') ?? content ?? error ?? (states && compactJson(states)) ?? '',
    report,
  );
}
