import { isObject, type JsonObject, type JsonValue, type ToolOutputContent } from '@longhaul/protocol';
import { asPart, readContent, typeName } from './content-blocks.ts';
import type { StepFacts } from './facts.ts';
import { finishReason, type Importer } from './importer.ts';
import { instantAt, numberAt, objectAt, objectsAt, parseArguments, textAt } from './json-fields.ts';
import { textOf } from './part-text.ts';
import type { SessionBuilder } from './session-builder.ts';
import { splitUsage } from './usage.ts';

export function isOpencodeMessage(element: JsonObject): boolean {
  return textAt(objectAt(element, 'info'), 'role') !== undefined && Array.isArray(element['parts']);
}

/**
 * Reads an `opencode export`: `{info, messages: [{info, parts}]}`. A message is one step, or several separated by
 * `step-start` parts.
 */
export function createOpencodeImporter(builder: SessionBuilder): Importer {
  return new OpencodeImporter(builder);
}

/** Parts that the model does not see, or that only name something. */
const SILENT_PARTS = new Set([
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
  'step-start',
  'step-finish',
]);

class OpencodeImporter implements Importer {
  readonly format = 'opencode';
  readonly #builder: SessionBuilder;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    if (name !== 'info' || !isObject(value)) return;
    const { report } = this.#builder.report;
    report.sourceId = textAt(value, 'id');
    report.title = textAt(value, 'title');
    report.workspace = textAt(value, 'directory');
  }

  read(element: JsonObject): void {
    const info = objectAt(element, 'info');
    const parts = objectsAt(element, 'parts');
    const role = textAt(info, 'role');
    if (role === 'user') this.#user(parts, instantAt(objectAt(info, 'time'), 'created'));
    else if (role === 'assistant' && info?.['summary'] === true) this.#summary(parts, info);
    else if (role === 'assistant') this.#assistant(parts, info);
    else this.#builder.report.lose('messages of an unknown role', parts);
  }

  #user(parts: JsonObject[], createdAt: number | undefined): void {
    const isShown = (part: JsonObject) => /^(?:text|file|subtask)$/.test(textAt(part, 'type') ?? '');
    for (const part of parts) if (!isShown(part)) this.#skip(part);
    const shown = parts.filter((part) => isShown(part) && part['ignored'] !== true);
    const own = shown.filter((part) => part['synthetic'] !== true);
    // Text that OpenCode adds to a prompt, such as the content of a file, stays in the user's message. Without a prompt
    // it is injected.
    const content = (own.length === 0 ? shown : own).flatMap((part) => this.#content(part));
    const added = own.length === 0 ? [] : shown.filter((part) => part['synthetic'] === true);
    const notices = added.map((part) => ({
      type: 'notice' as const,
      text: textOf(this.#content(part)),
      forModel: true,
    }));
    this.#builder.user([...content.map(asPart), ...notices], { createdAt, isInjected: own.length === 0 });
  }

  #content(part: JsonObject): ToolOutputContent[] {
    if (textAt(part, 'type') === 'subtask')
      return readContent(textAt(part, 'prompt') ?? textAt(part, 'description'), this.#builder.report);
    return readContent([part], this.#builder.report);
  }

  #summary(parts: JsonObject[], info: JsonObject): void {
    const texts = parts
      .filter((part) => textAt(part, 'type') === 'text')
      .map((part) => textAt(part, 'text') ?? '');
    const createdAt = instantAt(objectAt(info, 'time'), 'created');
    this.#builder.compaction(texts.join('\n'), { createdAt });
  }

  #assistant(parts: JsonObject[], info: JsonObject | undefined): void {
    const facts = stepFacts(info);
    const hasSteps = parts.some((part) => textAt(part, 'type') === 'step-finish');
    const begin = () => this.#builder.step(undefined, hasSteps ? { ...facts, usage: undefined } : facts);
    begin();
    let isFresh = true;
    for (const part of parts) {
      const type = textAt(part, 'type');
      if (type === 'step-start' && !isFresh) begin();
      if (type !== 'step-start') isFresh = type === 'step-finish' && isFresh;
      if (type === 'step-finish') this.#finish(part);
      else if (type !== 'step-start') this.#part(part, type);
    }
    const error = objectAt(info, 'error');
    const text = textAt(objectAt(error, 'data'), 'message') ?? textAt(error, 'name');
    if (text !== undefined) this.#builder.part({ type: 'notice', text, forModel: false });
    this.#builder.endStep();
  }

  #finish(part: JsonObject): void {
    this.#builder.describeStep({
      usage: splitUsage(objectAt(part, 'tokens')),
      cost: numberAt(part, 'cost') || undefined,
      finishReason: finishReason(textAt(part, 'reason')),
    });
  }

  #part(part: JsonObject, type: string | undefined): void {
    if (type === 'text') this.#builder.text(textAt(part, 'text') ?? '');
    else if (type === 'reasoning') this.#builder.reasoning(textAt(part, 'text') ?? '');
    else if (type === 'tool') this.#tool(part);
    else if (type === 'file') for (const content of this.#content(part)) this.#builder.part(asPart(content));
    else this.#skip(part);
  }

  #skip(part: JsonObject): void {
    const { report } = this.#builder;
    const reason = `parts of the type ${typeName(part)}`;
    if (SILENT_PARTS.has(textAt(part, 'type') ?? '')) report.skip(reason);
    else report.lose(reason, part);
  }

  #tool(part: JsonObject): void {
    const state = objectAt(part, 'state');
    const time = objectAt(state, 'time');
    const name = textAt(part, 'tool') ?? 'unknown';
    const id = textAt(part, 'callID') ?? textAt(part, 'id') ?? `call-${name}`;
    const input = parseArguments(state?.['input']);
    this.#builder.call(id, { name, ...input, startedAt: instantAt(time, 'start') });
    const status = textAt(state, 'status');
    if (status !== 'completed' && status !== 'error') return;
    const text = (status === 'error' ? textAt(state, 'error') : undefined) ?? textAt(state, 'output') ?? '';
    // The recorded agent removed this output from its prompt. It is kept here, because the log keeps everything.
    const cleared = instantAt(time, 'compacted');
    this.#builder.result(id, {
      output: [
        ...readContent(text, this.#builder.report),
        ...readContent(state?.['attachments'], this.#builder.report),
      ],
      isError: status === 'error',
      title: textAt(state, 'title'),
      metadata: resultMetadata(objectAt(state, 'metadata'), cleared),
      endedAt: instantAt(time, 'end'),
    });
  }
}

function resultMetadata(
  metadata: JsonObject | undefined,
  cleared: number | undefined,
): JsonObject | undefined {
  const exitCode = numberAt(metadata, 'exit');
  if (exitCode === undefined && cleared === undefined) return undefined;
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(cleared === undefined ? {} : { clearedAt: cleared }),
  };
}

function stepFacts(info: JsonObject | undefined): StepFacts {
  const model = textAt(info, 'modelID');
  const provider = textAt(info, 'providerID');
  return {
    createdAt: instantAt(objectAt(info, 'time'), 'created'),
    model: model !== undefined && provider !== undefined ? `${provider}/${model}` : model,
    usage: splitUsage(objectAt(info, 'tokens')),
    cost: numberAt(info, 'cost') || undefined,
    finishReason: finishReason(textAt(info, 'finish')),
    status: objectAt(info, 'error') === undefined ? undefined : 'failed',
  };
}
