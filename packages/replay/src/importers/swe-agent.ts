import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { readCall } from './chat-messages.ts';
import { readContent, readParts } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { compactJson, listAt, objectsAt, textAt } from './json-fields.ts';
import { textOf } from './part-text.ts';
import type { SessionBuilder } from './session-builder.ts';

export function isSweAgentEntry(element: JsonObject, list: string): boolean {
  if (list === 'trajectory') return 'action' in element && 'observation' in element;
  return list === 'history' && textAt(element, 'role') !== undefined && 'content' in element;
}

/**
 * `trajectory` precedes `history` in the file and is used only without a history. This much of it is kept until then.
 */
const MAX_TRAJECTORY_CHARS = 16_000_000;

/**
 * Reads a `.traj` file. `history` contains the messages, with an action in `tool_calls` or in `action`; in the second
 * form the next user message is its result. `trajectory` contains the steps, which are used only if the file is cut off
 * before the history.
 */
export function createSweAgentImporter(builder: SessionBuilder): Importer {
  return new SweAgentImporter(builder);
}

class SweAgentImporter implements Importer {
  readonly format = 'swe-agent';
  readonly #builder: SessionBuilder;
  #trajectory: JsonObject[] = [];
  #trajectoryChars = 0;
  #hasHistory = false;
  #actions = 0;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    if (name === 'environment' && typeof value === 'string') this.#builder.report.report.title = value;
  }

  read(element: JsonObject, list: string): void {
    if (list === 'trajectory') this.#keepStep(element);
    else this.#entry(element);
  }

  end(): void {
    if (this.#hasHistory) return;
    for (const step of this.#trajectory) this.#step(step);
    if (this.#trajectory.length > 0)
      this.#builder.report.skip('the missing history: the steps were read instead');
  }

  #keepStep(element: JsonObject): void {
    const { query: _, messages: __, ...step } = element;
    const wanted: JsonObject = this.#trajectory.length === 0 ? element : step;
    this.#trajectoryChars += compactJson(wanted)?.length ?? 0;
    if (this.#trajectoryChars < MAX_TRAJECTORY_CHARS) this.#trajectory.push(wanted);
    else this.#builder.report.skip('steps that are also in the history', 'trajectory');
  }

  #entry(entry: JsonObject): void {
    this.#hasHistory = true;
    this.#trajectory = [];
    const { report } = this.#builder;
    const role = textAt(entry, 'role');
    if (entry['is_demo'] === true || textAt(entry, 'message_type') === 'demonstration') {
      report.skip('demonstrations in the prompt');
      return;
    }
    if (role === 'system') report.system(textOf(readContent(entry['content'], report)));
    else if (role === 'assistant') this.#assistant(entry);
    else if (role === 'user' || role === 'tool') this.#answer(entry, role);
    else report.skip('messages of an unknown role');
  }

  #assistant(entry: JsonObject): void {
    const calls = objectsAt(entry, 'tool_calls');
    const action = textAt(entry, 'action') ?? '';
    const content = textOf(readContent(entry['content'], this.#builder.report));
    this.#builder.step(undefined);
    // The content repeats the action, unless the action is a tool call.
    this.#builder.text(calls.length > 0 || action === '' ? content : (textAt(entry, 'thought') ?? content));
    for (const call of calls) readCall(call, this.#builder);
    if (calls.length === 0 && action !== '') this.#act(action);
  }

  #act(command: string): string {
    this.#actions += 1;
    const id = `action-${this.#actions}`;
    this.#builder.call(id, { name: 'bash', input: { command: command.replace(/\n+$/, '') } });
    return id;
  }

  #answer(entry: JsonObject, role: string): void {
    const { report } = this.#builder;
    const ids = listAt(entry, 'tool_call_ids').filter((id) => typeof id === 'string');
    const id = ids[0] ?? textAt(entry, 'tool_call_id');
    const output = readContent(entry['content'], report);
    if (id !== undefined) this.#builder.result(id, { output });
    else if (role === 'tool' || textAt(entry, 'message_type') !== 'user') this.#observe(entry);
    else this.#builder.user(readParts(entry['content'], report));
  }

  #observe(entry: JsonObject): void {
    const { report } = this.#builder;
    const output = readContent(entry['content'], report);
    if (!this.#builder.resultOfOldestCall({ output }))
      this.#builder.user(readParts(entry['content'], report));
  }

  #step(step: JsonObject): void {
    const { report } = this.#builder;
    for (const message of objectsAt(step, 'query')) {
      if (textAt(message, 'role') === 'system')
        report.system(textOf(readContent(message['content'], report)));
      else if (textAt(message, 'role') === 'user') this.#builder.user(readParts(message['content'], report));
    }
    this.#builder.step(undefined);
    this.#builder.text(textAt(step, 'thought') ?? textAt(step, 'response') ?? '');
    const action = textAt(step, 'action') ?? '';
    if (action === '') return;
    this.#builder.result(this.#act(action), { output: readContent(step['observation'], report) });
  }
}
