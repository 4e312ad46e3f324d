import type { JsonObject, Part } from '@longhaul/protocol';
import { readContent } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { instantAt, numberAt, objectAt, objectsAt, parseArguments, textAt } from './json-fields.ts';
import type { SessionBuilder } from './session-builder.ts';

const KIND = /^(?:session|user|assistant|tool|system|hook|subagent|permission|skill)\.[a-z_]+$/;

/** Whether a row of a JSONL file is an event of GitHub Copilot's agent. */
export function isCopilotRow(row: JsonObject): boolean {
  return KIND.test(textAt(row, 'type') ?? '') && objectAt(row, 'data') !== undefined;
}

/** Reads `events.jsonl` of a Copilot session. An answer is one row, and each result is a row of its own. */
export function createCopilotImporter(builder: SessionBuilder): Importer {
  return new CopilotImporter(builder);
}

class CopilotImporter implements Importer {
  readonly format = 'copilot';
  readonly #builder: SessionBuilder;
  #systemText: string | undefined;
  #model: string | undefined;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  read(row: JsonObject): void {
    const data = objectAt(row, 'data') ?? {};
    const at = instantAt(row, 'timestamp');
    const isOfSubagent = textAt(row, 'agentId') ?? textAt(data, 'parentToolCallId');
    if (isOfSubagent !== undefined) this.#builder.report.skip('rows of subagents');
    else this.#event(textAt(row, 'type') ?? '', data, at);
  }

  #event(type: string, data: JsonObject, at: number | undefined): void {
    if (type === 'user.message') this.#user(data, at);
    else if (type === 'assistant.message') this.#answer(data, at);
    else if (type === 'tool.execution_complete') this.#result(data, at);
    else if (type === 'tool.user_requested') this.#userCall(data, at);
    else if (type === 'system.message') this.#system(textAt(data, 'content') ?? '');
    else if (type === 'system.notification') this.#notify(textAt(data, 'content') ?? '', at);
    else if (type === 'session.compaction_complete') this.#compaction(data, at);
    else if (type === 'session.snapshot_rewind') this.#builder.report.report.branches += 1;
    else if (!this.#describe(type, data))
      this.#builder.report.skip(`events of the type ${type.slice(0, 40)}`);
  }

  /** Reads an event about the session. Returns false if it has nothing to read. */
  #describe(type: string, data: JsonObject): boolean {
    const { report } = this.#builder.report;
    if (type === 'session.start' || type === 'session.resume') {
      report.sourceId ??= textAt(data, 'sessionId');
      report.workspace ??= textAt(objectAt(data, 'context'), 'cwd');
      this.#model = textAt(data, 'selectedModel') ?? this.#model;
      return true;
    }
    if (type === 'session.title_changed') report.title = textAt(data, 'title') ?? report.title;
    else if (type === 'session.model_change') this.#model = textAt(data, 'newModel') ?? this.#model;
    else return false;
    return true;
  }

  /** The model sees the text with what Copilot put around it. */
  #user(data: JsonObject, createdAt: number | undefined): void {
    const content = textAt(data, 'content') ?? '';
    const sent = textAt(data, 'transformedContent') ?? content;
    const source = textAt(data, 'source') ?? 'user';
    const isInjected = source !== 'user';
    const start = content === '' ? -1 : sent.indexOf(content);
    const pieces: Part[] =
      start === -1
        ? [written(content === '' || isInjected ? sent : content)]
        : [notice(sent.slice(0, start)), written(content), notice(sent.slice(start + content.length))];
    const parts = pieces.filter((part) => 'text' in part && part.text.trim() !== '');
    this.#builder.user(parts, { createdAt, isInjected });
  }

  #notify(text: string, createdAt: number | undefined): void {
    if (text !== '') this.#builder.user([written(text)], { createdAt, isInjected: true });
  }

  /** Each request repeats the system text. */
  #system(text: string): void {
    if (this.#systemText === undefined) this.#builder.report.system(text);
    else if (this.#systemText !== text) this.#builder.report.skip('further versions of the system text');
    this.#systemText ??= text;
  }

  #answer(data: JsonObject, createdAt: number | undefined): void {
    const model = textAt(data, 'model') ?? this.#model;
    this.#builder.step(textAt(data, 'messageId'), { createdAt, model });
    this.#builder.reasoning(textAt(data, 'reasoningText') ?? '');
    this.#builder.text(textAt(data, 'content') ?? '');
    for (const call of objectsAt(data, 'toolRequests')) this.#call(call, createdAt);
  }

  #call(call: JsonObject, startedAt: number | undefined): void {
    const name = textAt(call, 'name') ?? 'unknown';
    const id = textAt(call, 'toolCallId') ?? `call-${name}`;
    this.#builder.call(id, { name, ...parseArguments(call['arguments']), startedAt });
  }

  /** A tool that the user ran. */
  #userCall(data: JsonObject, startedAt: number | undefined): void {
    this.#builder.step(undefined, { createdAt: startedAt });
    const name = textAt(data, 'toolName') ?? 'unknown';
    this.#builder.call(textAt(data, 'toolCallId') ?? `call-${name}`, {
      name,
      ...parseArguments(data['arguments']),
      startedAt,
      metadata: { requestedBy: 'user' },
    });
  }

  #result(data: JsonObject, endedAt: number | undefined): void {
    const error = textAt(objectAt(data, 'error'), 'message');
    const content = objectAt(data, 'result')?.['content'];
    this.#builder.result(textAt(data, 'toolCallId') ?? '', {
      output: readContent(content ?? error ?? '', this.#builder.report),
      isError: data['success'] === false,
      endedAt,
    });
  }

  #compaction(data: JsonObject, createdAt: number | undefined): void {
    if (data['success'] === false) {
      this.#builder.report.skip('compactions that failed');
      return;
    }
    const tokensBefore = numberAt(data, 'preCompactionTokens');
    this.#builder.compaction(textAt(data, 'summaryContent') ?? '', { tokensBefore, createdAt });
  }
}

function written(text: string): Part {
  return { type: 'text', text, state: 'done' };
}

function notice(text: string): Part {
  return { type: 'notice', text, forModel: true };
}
