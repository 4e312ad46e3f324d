import type { StepEvent, ToolSchema } from '@longhaul/core';
import { readAnswer } from '@longhaul/drivers/answer';
import { isObject, type JsonValue } from '@longhaul/protocol';
import type { AnswerEvent, ChatTool } from '../engine/engine.ts';
import { MarkedNames } from './marked-names.ts';

export type AnswerEnd = Extract<AnswerEvent, { type: 'end' }>;

/** What else happens while an answer is read. */
export interface AnswerListener {
  onReading(progress: { readTokens: number; promptTokens: number }): void;
}

/**
 * Reads the text of a model as its template means it: thoughts between tags, and calls of tools. The last event is the
 * `finish`, and the engine's end follows it. Both are missing if the answer was cancelled.
 */
export async function* readModelText(
  answer: AsyncIterable<AnswerEvent>,
  tools: readonly ChatTool[],
  listener: AnswerListener,
): AsyncGenerator<StepEvent | AnswerEnd, void> {
  const schemas = tools.map(toSchema);
  const marked = new MarkedNames();
  let end: AnswerEnd | undefined;
  async function* asStep(): AsyncGenerator<StepEvent, void> {
    yield { type: 'text-start', id: 'text' };
    for await (const event of answer) {
      if (event.type === 'reading') listener.onReading(event);
      else if (event.type === 'text') {
        marked.push(event.text);
        yield { type: 'text-delta', id: 'text', text: event.text };
      } else end = event;
    }
    if (end === undefined) return;
    yield { type: 'text-end', id: 'text' };
    yield { type: 'finish', finishReason: end.reason === 'length' ? 'length' : 'stop' };
  }
  yield* readAnswer(asStep(), {
    tools: schemas,
    acceptsInput: (name, input) =>
      hasRequired(
        schemas.find((tool) => tool.name === name),
        input,
      ),
    toolNamed: (name) => (marked.has(name) ? name : undefined),
    callsInText: true,
  });
  if (end !== undefined) yield end;
}

function toSchema({ name, description, parameters }: ChatTool): ToolSchema {
  return { name, description, parameters: { ...parameters, type: 'object' } };
}

function hasRequired(tool: ToolSchema | undefined, input: JsonValue): boolean {
  const required = tool?.parameters['required'];
  if (!isObject(input)) return false;
  return !Array.isArray(required) || required.every((key) => typeof key === 'string' && key in input);
}
