import { isObject, type JsonObject, type JsonValue, type Part } from '@longhaul/protocol';
import { readContent, readParts } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { instantAt, listAt, numberAt, objectAt, textAt } from './json-fields.ts';
import type { SessionBuilder } from './session-builder.ts';
import { chatUsage } from './usage.ts';

export function isOpenHandsEvent(element: JsonObject): boolean {
  const hasKind = textAt(element, 'action') !== undefined || textAt(element, 'observation') !== undefined;
  return hasKind && ('source' in element || 'cause' in element || 'args' in element);
}

/** Events about the agent's state, which the model does not see. */
const SILENT = new Set([
  'change_agent_state',
  'agent_state_changed',
  'null',
  'start',
  'pause',
  'resume',
  'stop',
]);

/**
 * Reads a line of `output.jsonl`, whose `history` is a list of actions and the observations they caused, or that list
 * alone.
 */
export function createOpenHandsImporter(builder: SessionBuilder): Importer {
  return new OpenHandsImporter(builder);
}

class OpenHandsImporter implements Importer {
  readonly format = 'openhands';
  readonly #builder: SessionBuilder;
  /** Call ids by the number of the action, for actions without an observation. */
  readonly #calls = new Map<number, string>();
  #instruction = '';
  #hasUser = false;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    const { report } = this.#builder.report;
    if (name === 'instance_id' && typeof value === 'string') report.title = value;
    else if (name === 'instruction' && typeof value === 'string') this.#instruction = value;
    else if (name === 'metadata' && isObject(value))
      report.model ??= textAt(objectAt(value, 'llm_config'), 'model');
  }

  read(event: JsonObject): void {
    const action = textAt(event, 'action');
    const observation = textAt(event, 'observation');
    const name = action ?? observation ?? '';
    if (SILENT.has(name)) this.#builder.report.skip(`events of the kind ${name}`);
    else if (action !== undefined) this.#action(event, action);
    else if (observation !== undefined) this.#observation(event, observation);
    else this.#builder.report.skip('events that are neither an action nor an observation');
  }

  end(): void {
    this.#addInstruction(undefined);
  }

  #action(event: JsonObject, action: string): void {
    const args = objectAt(event, 'args') ?? {};
    const isAgent = textAt(event, 'source') === 'agent';
    if (action === 'system') this.#builder.report.system(textAt(args, 'content') ?? '');
    else if (action === 'condensation')
      this.#builder.compaction(textAt(args, 'summary') ?? '', { createdAt: instantAt(event, 'timestamp') });
    else if (action !== 'message') this.#call(event, args);
    else if (isAgent) this.#answer(event, textAt(args, 'content') ?? '');
    else this.#user(event, args);
  }

  #user(event: JsonObject, args: JsonObject): void {
    this.#hasUser = true;
    const images = listAt(args, 'image_urls').map((url) => ({ type: 'image_url', image_url: url }));
    const parts: Part[] = readParts([args['content'] ?? '', ...images], this.#builder.report);
    this.#builder.user(parts, { createdAt: instantAt(event, 'timestamp') });
  }

  /** Adds the line's `instruction` as the task if no user message precedes the first step. */
  #addInstruction(createdAt: number | undefined): void {
    if (this.#hasUser || this.#instruction === '') return;
    this.#hasUser = true;
    this.#builder.user([{ type: 'text', text: this.#instruction, state: 'done' }], { createdAt });
  }

  #answer(event: JsonObject, text: string): void {
    this.#begin(event);
    this.#builder.text(text);
  }

  /**
   * Calls of one response are one step. An action of the environment, such as `recall` before the first step, is its
   * own step.
   */
  #begin(event: JsonObject): void {
    const createdAt = instantAt(event, 'timestamp');
    this.#addInstruction(createdAt);
    const response = objectAt(objectAt(event, 'tool_call_metadata'), 'model_response');
    this.#builder.step(textAt(response, 'id'), {
      createdAt,
      model: textAt(response, 'model'),
      usage: chatUsage(objectAt(response, 'usage')),
    });
  }

  #call(event: JsonObject, args: JsonObject): void {
    const { thought, ...input } = args;
    const action = textAt(event, 'action') ?? '';
    this.#begin(event);
    // `thought` is a copy of the answer's text, except for `think`, whose argument it is.
    if (action !== 'think' && typeof thought === 'string') this.#builder.text(thought);
    const call = objectAt(event, 'tool_call_metadata');
    const number = numberAt(event, 'id') ?? -1;
    const id = textAt(call, 'tool_call_id') ?? `event-${number}`;
    this.#calls.set(number, id);
    const source = textAt(event, 'source');
    this.#builder.call(id, {
      name: textAt(call, 'function_name') ?? action,
      input: action === 'think' ? args : input,
      startedAt: instantAt(event, 'timestamp'),
      metadata: source === 'agent' || source === undefined ? undefined : { requestedBy: source },
    });
    // The action that ends the work has no observation.
    if (action === 'finish') this.#builder.result(id, { output: [] });
  }

  #observation(event: JsonObject, observation: string): void {
    const { report } = this.#builder;
    const cause = numberAt(event, 'cause');
    const recorded = cause === undefined ? undefined : this.#calls.get(cause);
    const id = recorded ?? textAt(objectAt(event, 'tool_call_metadata'), 'tool_call_id');
    if (cause !== undefined) this.#calls.delete(cause);
    const output = readContent(event['content'], report);
    const createdAt = instantAt(event, 'timestamp');
    if (id === undefined && cause === undefined) {
      this.#builder.user(readParts(event['content'], report), { createdAt, isInjected: true });
      return;
    }
    const extras = objectAt(event, 'extras');
    const exitCode = numberAt(objectAt(extras, 'metadata'), 'exit_code') ?? numberAt(extras, 'exit_code');
    this.#builder.result(id ?? `event-${cause}`, {
      output,
      isError: observation === 'error',
      metadata: exitCode === undefined ? undefined : { exitCode },
      endedAt: createdAt,
    });
  }
}
