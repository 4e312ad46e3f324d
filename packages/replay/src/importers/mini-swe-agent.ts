import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { chatInstant, readChatMessage } from './chat-messages.ts';
import { readContent } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { instantAt, listAt, numberAt, objectAt, textAt } from './json-fields.ts';
import { textOf } from './part-text.ts';
import type { SessionBuilder } from './session-builder.ts';
import { chatUsage } from './usage.ts';

/** Whether a message, or the fields of its document, are from mini-swe-agent. */
export function isMiniSweAgent(element: JsonObject, fields: ReadonlyMap<string, JsonValue>): boolean {
  const info = fields.get('info');
  const marks = ['model_stats', 'mini_version', 'exit_status', 'config'];
  const format = fields.get('trajectory_format');
  return (
    (typeof format === 'string' && format.startsWith('mini-swe-agent')) ||
    (isObject(info) && marks.some((key) => key in info)) ||
    textAt(element, 'role') === 'exit' ||
    isObject(element['extra'])
  );
}

/**
 * Reads a `.traj.json` file of chat messages. An action is in `tool_calls`, in `extra.actions`, or in a fenced block of
 * the text. In the last two forms the next user message is the result.
 */
export function createMiniSweAgentImporter(builder: SessionBuilder): Importer {
  return new MiniSweAgentImporter(builder);
}

class MiniSweAgentImporter implements Importer {
  readonly format = 'mini-swe-agent';
  readonly #builder: SessionBuilder;
  #actions = 0;
  #open = 0;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    if (name === 'instance_id' && typeof value === 'string') this.#builder.report.report.title = value;
  }

  read(message: JsonObject): void {
    const role = textAt(message, 'role');
    if (role === 'assistant' && listAt(message, 'tool_calls').length === 0) this.#assistant(message);
    else if (role === 'user' && this.#open > 0) this.#result(message);
    else if (role === 'exit') this.#exit(message);
    else readChatMessage(message, this.#builder);
  }

  #assistant(message: JsonObject): void {
    const content = textOf(readContent(message['content'], this.#builder.report));
    const fenced = FENCE.exec(content);
    const actions = recordedActions(message);
    if (actions.length === 0 && fenced?.[1] !== undefined) actions.push(fenced[1].trim());
    const response = objectAt(objectAt(message, 'extra'), 'response');
    this.#builder.step(undefined, {
      createdAt: chatInstant(message),
      model: textAt(response, 'model'),
      usage: chatUsage(objectAt(response, 'usage')),
      cost: numberAt(objectAt(message, 'extra'), 'cost') || undefined,
    });
    // The block is the call, so it is removed from the text.
    const isRepeated = fenced?.[1] !== undefined && actions.includes(fenced[1].trim());
    this.#builder.text(isRepeated ? content.replace(fenced[0], '').trim() : content);
    this.#open = actions.length;
    for (const command of actions) {
      this.#actions += 1;
      this.#builder.call(`action-${this.#actions}`, { name: 'bash', input: { command } });
    }
  }

  #result(message: JsonObject): void {
    this.#open -= 1;
    const extra = objectAt(message, 'extra');
    const exitCode = numberAt(extra, 'returncode');
    this.#builder.resultOfOldestCall({
      output: readContent(message['content'], this.#builder.report),
      endedAt: instantAt(extra, 'timestamp'),
      metadata: exitCode === undefined ? undefined : { exitCode },
    });
  }

  /** The last call submits the work and has no result message, so the submitted text becomes its result. */
  #exit(message: JsonObject): void {
    const output = readContent(message['content'], this.#builder.report);
    if (this.#builder.resultOfOldestCall({ output }) || output.length === 0) return;
    const parts = output.map((content) => ({
      type: 'text' as const,
      text: textOf([content]),
      state: 'done' as const,
    }));
    this.#builder.user(parts, { isInjected: true });
  }
}

const FENCE = /```(?:bash|sh|mswea_bash_command)?\s*\n([\s\S]*?)\n?```/;

function recordedActions(message: JsonObject): string[] {
  return listAt(objectAt(message, 'extra'), 'actions')
    .map((action) => (isObject(action) ? (textAt(action, 'command') ?? textAt(action, 'action')) : action))
    .filter((action) => typeof action === 'string')
    .map((action) => action.trim());
}
