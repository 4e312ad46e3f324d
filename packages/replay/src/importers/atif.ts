import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { asPart, readContent, readParts } from './content-blocks.ts';
import type { Importer } from './importer.ts';
import { countAt, instantAt, numberAt, objectAt, objectsAt, parseArguments, textAt } from './json-fields.ts';
import { textOf } from './part-text.ts';
import type { SessionBuilder } from './session-builder.ts';
import { chatUsage } from './usage.ts';

/** Whether an element of a document is a step of a trajectory in the Agent Trajectory Interchange Format. */
export function isAtifStep(element: JsonObject, list: string): boolean {
  return list === 'steps' && /^(?:system|user|agent)$/.test(textAt(element, 'source') ?? '');
}

/** Reads a trajectory of Harbor and other programs. A step has its calls and their results. */
export function createAtifImporter(builder: SessionBuilder): Importer {
  return new AtifImporter(builder);
}

class AtifImporter implements Importer {
  readonly format = 'atif';
  readonly #builder: SessionBuilder;
  #model: string | undefined;

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    const { report } = this.#builder.report;
    if (name === 'session_id' && typeof value === 'string') report.sourceId ??= value;
    if (name !== 'agent' || typeof value !== 'object' || value === null || Array.isArray(value)) return;
    this.#model = textAt(value, 'model_name');
    if (this.#model !== undefined) report.model ??= this.#model;
  }

  read(step: JsonObject): void {
    const { report } = this.#builder;
    const createdAt = instantAt(step, 'timestamp');
    const source = textAt(step, 'source');
    if (objectAt(step, 'extra')?.['is_sidechain'] === true) report.skip('steps of subagents');
    else if (source === 'system') this.#system(step);
    else if (source === 'user') this.#user(step, createdAt);
    else if (source === 'agent') this.#agent(step, createdAt);
    else report.lose('steps of an unknown source', step);
  }

  #system(step: JsonObject): void {
    this.#builder.report.system(textOf(readContent(step['message'], this.#builder.report)));
    this.#results(step, { endedAt: undefined, ids: new Set() });
  }

  #user(step: JsonObject, createdAt: number | undefined): void {
    this.#builder.user(readParts(step['message'], this.#builder.report), { createdAt });
    this.#results(step, { endedAt: createdAt, ids: new Set() });
  }

  #agent(step: JsonObject, createdAt: number | undefined): void {
    const metrics = objectAt(step, 'metrics');
    this.#builder.step(undefined, {
      createdAt,
      model: textAt(step, 'model_name') ?? this.#model,
      usage: usageOf(metrics),
      cost: numberAt(metrics, 'cost_usd') || undefined,
    });
    this.#builder.reasoning(textAt(step, 'reasoning_content') ?? '');
    for (const content of readContent(step['message'], this.#builder.report)) {
      if (content.type === 'text') this.#builder.text(content.text);
      else this.#builder.part(asPart(content));
    }
    const ids = new Set<string>();
    for (const call of objectsAt(step, 'tool_calls')) {
      const name = textAt(call, 'function_name') ?? 'unknown';
      const id = textAt(call, 'tool_call_id') ?? `call-${name}`;
      ids.add(id);
      this.#builder.call(id, { name, ...parseArguments(call['arguments']), startedAt: createdAt });
    }
    this.#results(step, { endedAt: createdAt, ids });
  }

  /** A result without an id answers the step's next call. Without calls it is text that the environment added. */
  #results(step: JsonObject, { endedAt, ids }: { endedAt: number | undefined; ids: Set<string> }): void {
    for (const result of objectsAt(objectAt(step, 'observation'), 'results')) {
      const output = readContent(result['content'], this.#builder.report);
      const id = textAt(result, 'source_call_id') ?? [...ids][0];
      if (id !== undefined) {
        ids.delete(id);
        this.#builder.result(id, { output, endedAt });
      } else if (output.length > 0) {
        this.#builder.user(output.map(asPart), { createdAt: endedAt, isInjected: true });
      }
    }
  }
}

function usageOf(metrics: JsonObject | undefined) {
  return chatUsage({
    prompt_tokens: countAt(metrics, 'prompt_tokens'),
    completion_tokens: countAt(metrics, 'completion_tokens'),
    prompt_tokens_details: { cached_tokens: countAt(metrics, 'cached_tokens') },
  });
}
