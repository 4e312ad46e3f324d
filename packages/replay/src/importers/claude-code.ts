import { isObject, type JsonObject, type JsonValue, type ToolOutputContent } from '@longhaul/protocol';
import { attachedContent } from './claude-code-attachments.ts';
import { asPart, readContent, typeName } from './content-blocks.ts';
import { COMMAND, COMMAND_OUTPUT, withoutWrappers } from './first-user-text.ts';
import { finishReason, type Importer } from './importer.ts';
import { compactJson, instantAt, listAt, numberAt, objectAt, parseArguments, textAt } from './json-fields.ts';
import { textOf } from './part-text.ts';
import { RecentKeys } from './recent-keys.ts';
import type { SessionBuilder } from './session-builder.ts';
import { anthropicUsage } from './usage.ts';

/** Starts of texts in user messages that Claude Code wrote. The user's text can follow. */
const INJECTED =
  /^\s*(?:<(?:local-command-\w+|system-reminder|task-notification|bash-(?:stdout|stderr))>|\[Request interrupted by user|Caveat: The messages below)/;

const KNOWN_ROWS = new Set([
  'user',
  'assistant',
  'system',
  'summary',
  'progress',
  'attachment',
  'file-history-snapshot',
  'queue-operation',
  'custom-title',
  'result',
]);

/** Whether a row of a JSONL file is from Claude Code: from a session file, or from its `stream-json` output. */
export function isClaudeCodeRow(row: JsonObject): boolean {
  if (!KNOWN_ROWS.has(textAt(row, 'type') ?? '')) return false;
  return ['uuid', 'sessionId', 'session_id', 'leafUuid', 'messageId'].some(
    (key) => textAt(row, key) !== undefined,
  );
}

/** Reads rows of Claude Code. Each content block is a row, and rows with the same `message.id` are one step. */
export function createClaudeCodeImporter(builder: SessionBuilder): Importer {
  return new ClaudeCodeImporter(builder);
}

class ClaudeCodeImporter implements Importer {
  readonly format = 'claude-code';
  readonly #builder: SessionBuilder;
  readonly #rows = new RecentKeys(100_000);
  /** The subagent whose file this is; empty for the file of a session. */
  #agent: string | undefined;
  /** A compaction whose summary is in the next user row. */
  #boundary: { tokensBefore?: number | undefined } | undefined;
  /** A slash command. The next row shows whether Claude Code ran it itself, so that no model read it. */
  #command: { content: ToolOutputContent[]; createdAt: number | undefined } | undefined;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  read(row: JsonObject): void {
    const { report } = this.#builder;
    const uuid = textAt(row, 'uuid');
    if (uuid !== undefined && this.#rows.has(uuid)) {
      report.skip('duplicate rows');
      return;
    }
    if (uuid !== undefined) this.#rows.add(uuid);
    if (this.#isOfSubagent(row)) {
      report.skip('rows of subagents (sidechains)');
      return;
    }
    report.report.sourceId ??= textAt(row, 'sessionId') ?? textAt(row, 'session_id');
    report.report.workspace ??= textAt(row, 'cwd');
    const type = textAt(row, 'type');
    if (type === 'assistant' || type === 'attachment') this.#addCommand(false);
    if (type === 'user') this.#user(row);
    else if (type === 'assistant') this.#assistant(row);
    else if (type === 'attachment') this.#attachment(row);
    else this.#other(row, type);
  }

  end(): void {
    this.#addCommand(false);
    this.#recordBoundary();
  }

  /**
   * Whether a row is from a subagent other than the one whose file this is. In newer versions a subagent has its own
   * file, which starts with one of its rows.
   */
  #isOfSubagent(row: JsonObject): boolean {
    const agent = textAt(row, 'agentId');
    const isConversation = /^(?:user|assistant)$/.test(textAt(row, 'type') ?? '');
    if (isConversation && this.#agent === undefined)
      this.#agent = row['isSidechain'] === true && agent ? agent : '';
    if (row['isSidechain'] === true) return agent === undefined || agent !== this.#agent;
    return textAt(row, 'parent_tool_use_id') !== undefined;
  }

  #other(row: JsonObject, type: string | undefined): void {
    const { report } = this.#builder;
    if (type === 'system' && textAt(row, 'subtype') === 'compact_boundary') {
      this.#recordBoundary();
      this.#boundary = { tokensBefore: numberAt(objectAt(row, 'compactMetadata'), 'preTokens') };
      return;
    }
    const title = type === 'summary' ? textAt(row, 'summary') : textAt(row, 'customTitle');
    if (title === undefined) {
      report.skip(`rows of the type ${typeName(row)}`);
      return;
    }
    if (type === 'summary') report.report.summaryTitle ??= title;
    else report.report.title = title;
  }

  #recordBoundary(): void {
    if (this.#boundary !== undefined) this.#builder.compaction('', this.#boundary);
    this.#boundary = undefined;
  }

  #addCommand(isInjected: boolean): void {
    const command = this.#command;
    this.#command = undefined;
    if (command !== undefined)
      this.#builder.user(command.content.map(asPart), { createdAt: command.createdAt, isInjected });
  }

  #user(row: JsonObject): void {
    const content = objectAt(row, 'message')?.['content'];
    const createdAt = instantAt(row, 'timestamp');
    this.#addCommand(typeof content === 'string' && COMMAND_OUTPUT.test(content));
    if (row['isCompactSummary'] === true) {
      const summary = textOf(readContent(content, this.#builder.report));
      this.#builder.compaction(summary, { ...this.#boundary, createdAt });
      this.#boundary = undefined;
      return;
    }
    this.#recordBoundary();
    const blocks: JsonValue[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
    const results = blocks.filter(isObject).filter(isToolResult);
    for (const block of results) this.#result(block, createdAt);
    const rest = blocks.filter((block) => !(isObject(block) && isToolResult(block)));
    if (rest.length > 0 || results.length === 0)
      this.#addUser(readContent(rest, this.#builder.report), { createdAt, isMeta: row['isMeta'] === true });
  }

  #addUser(content: ToolOutputContent[], facts: { createdAt: number | undefined; isMeta: boolean }): void {
    const text = textOf(content);
    if (!facts.isMeta && COMMAND.test(text)) {
      this.#command = { content, createdAt: facts.createdAt };
      return;
    }
    const isInjected = facts.isMeta || (INJECTED.test(text) && withoutWrappers(text) === '');
    this.#builder.user(content.map(asPart), { createdAt: facts.createdAt, isInjected });
  }

  #result(block: JsonObject, endedAt: number | undefined): void {
    const content = block['content'];
    const output = readContent(content, this.#builder.report);
    this.#builder.result(textAt(block, 'tool_use_id') ?? '', {
      output:
        output.length > 0 || !isObject(content)
          ? output
          : [{ type: 'text', text: compactJson(content) ?? '' }],
      isError: block['is_error'] === true,
      endedAt,
    });
  }

  #assistant(row: JsonObject): void {
    this.#recordBoundary();
    const message = objectAt(row, 'message');
    const model = textAt(message, 'model');
    const createdAt = instantAt(row, 'timestamp');
    this.#builder.step(textAt(message, 'id'), {
      createdAt,
      model: model === undefined || model === '<synthetic>' ? undefined : `anthropic/${model}`,
      usage: anthropicUsage(objectAt(message, 'usage')),
      finishReason: finishReason(textAt(message, 'stop_reason')),
      status: row['isApiErrorMessage'] === true ? 'failed' : undefined,
    });
    const text = textAt(message, 'content');
    if (text !== undefined) this.#builder.text(text);
    for (const block of listAt(message, 'content')) this.#block(block, createdAt);
  }

  #block(block: JsonValue, startedAt: number | undefined): void {
    if (!isObject(block)) {
      this.#builder.report.skip('content that is neither text nor an object');
      return;
    }
    const type = textAt(block, 'type') ?? '';
    if (type === 'thinking') {
      const signature = textAt(block, 'signature');
      const metadata = signature === undefined ? undefined : { anthropic: { signature } };
      this.#builder.reasoning(textAt(block, 'thinking') ?? '', metadata);
    } else if (type === 'redacted_thinking') {
      const redactedData = textAt(block, 'data');
      if (redactedData !== undefined) this.#builder.reasoning('', { anthropic: { redactedData } });
    } else if (type.endsWith('tool_use')) {
      const { input, inputText } = parseArguments(block['input']);
      const name = textAt(block, 'name') ?? 'unknown';
      this.#builder.call(textAt(block, 'id') ?? `call-${name}`, { name, input, inputText, startedAt });
    } else if (isToolResult(block)) {
      this.#result(block, startedAt);
    } else {
      for (const content of readContent([block], this.#builder.report)) {
        if (content.type === 'text') this.#builder.text(content.text);
        else this.#builder.part(asPart(content));
      }
    }
  }

  /** Reads what the model saw: queued prompts and files. Other attachments are for display or repeat settings. */
  #attachment(row: JsonObject): void {
    const attachment = objectAt(row, 'attachment') ?? {};
    const type = textAt(attachment, 'type') ?? '';
    const createdAt = instantAt(row, 'timestamp');
    if (type === 'queued_command') {
      const isMeta = row['isMeta'] === true || textAt(attachment, 'commandMode') === 'task-notification';
      this.#addUser(readContent(attachment['prompt'], this.#builder.report), { createdAt, isMeta });
      return;
    }
    const content = attachedContent(attachment, this.#builder.report);
    if (content === undefined) this.#builder.report.skip(`attachments of the type ${typeName(attachment)}`);
    else
      this.#builder.user(content.map(asPart), {
        createdAt,
        isInjected: true,
        metadata: { attachment: type },
      });
  }
}

function isToolResult(block: JsonObject): boolean {
  return (textAt(block, 'type') ?? '').endsWith('tool_result');
}
