import { randomUUID } from 'node:crypto';
import type { ScriptedModelServerOptions } from '@longhaul/scripted-model';

const CALLS = 2;

/** Each call has a name of its own, in its arguments and in its effect. */
export const CALL = /effect-[\da-f-]{36}/g;

/** The model answers each task after two calls, which take a moment. */
export function scriptFor(effects: string): NonNullable<ScriptedModelServerOptions['script']> {
  return ({ messages }) => {
    const task = messages.findLastIndex(({ role }) => role === 'user');
    const done = messages.slice(task).filter(({ role }) => role === 'tool').length;
    if (done >= CALLS) return 'All done.';
    const command = `echo effect-${randomUUID()} >> '${effects}'; sleep 0.1`;
    return { toolCalls: [{ name: 'bash', arguments: { command } }] };
  };
}
