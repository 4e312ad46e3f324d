import type { StepEvent, ToolSchema } from '@longhaul/core';
import type { FinishReason, JsonObject, JsonValue } from '@longhaul/protocol';
import { readAnswer } from '../src/answer/read-answer.ts';

const schema = (name: string, properties: JsonObject): ToolSchema => ({
  name,
  description: name,
  parameters: { type: 'object', properties },
});
const TOOLS = [
  schema('read', { path: { type: 'string' }, limit: { type: 'integer' } }),
  schema('write', { path: { type: 'string' }, content: { type: 'string' } }),
  schema('list', {}),
];

function acceptsInput(name: string, input: JsonValue): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  if (name === 'list') return Object.keys(input).length === 0;
  const { path, limit, content } = input;
  const isLimit = limit === undefined || typeof limit === 'number';
  return typeof path === 'string' && isLimit && (name !== 'write' || typeof content === 'string');
}

export interface Played {
  finishReason?: FinishReason;
  callsInText?: boolean;
  pieceChars?: number;
  before?: StepEvent[];
}

async function* stream(answer: string, { finishReason = 'stop', pieceChars = 3, before = [] }: Played) {
  yield* before;
  yield { type: 'text-start' as const, id: 'text-1' };
  for (let at = 0; at < answer.length; at += pieceChars) {
    yield { type: 'text-delta' as const, id: 'text-1', text: answer.slice(at, at + pieceChars) };
  }
  yield { type: 'text-end' as const, id: 'text-1' };
  yield { type: 'finish' as const, finishReason, rawFinishReason: finishReason };
}

/** Reads an answer with the tools `read`, `write` and `list`, streamed in pieces. */
export async function read(answer: string, played: Played = {}) {
  const events: StepEvent[] = [];
  const options = { tools: TOOLS, acceptsInput, callsInText: played.callsInText ?? true };
  for await (const event of readAnswer(stream(answer, played), options)) events.push(event);
  const joined = (type: 'text-delta' | 'reasoning-delta') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const finish = events.at(-1);
  if (finish?.type !== 'finish') throw new Error(`Expected a finish, got ${JSON.stringify(finish)}.`);
  return {
    events,
    text: joined('text-delta'),
    reasoning: joined('reasoning-delta'),
    calls: events.flatMap((event) => (event.type === 'tool-call' ? [[event.name, event.input]] : [])),
    finishReason: finish.finishReason,
    unreadCall: finish.unreadCall,
  };
}
