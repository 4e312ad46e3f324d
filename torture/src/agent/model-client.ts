import type { Random } from '@longhaul/scripted-model';
import { shuffled } from '../shuffled.ts';

/** The ways in which a life calls the model: the API that its requests are in, and the client that makes them. */
export const MODEL_CLIENTS = [
  { kind: 'openai-compatible', driver: 'ai-sdk' },
  { kind: 'openai-compatible', driver: 'native' },
  { kind: 'anthropic', driver: 'ai-sdk' },
  { kind: 'anthropic', driver: 'native' },
  { kind: 'openai', driver: 'ai-sdk' },
  { kind: 'openai', driver: 'native' },
] as const;

export type ModelClient = (typeof MODEL_CLIENTS)[number];

/** Returns the clients of a session's lives in rotation: every client once in each round, in an order of its own. */
export function clientRotation(random: Random): (life: number) => ModelClient {
  const rounds: ModelClient[] = [];
  return (life) => {
    while (rounds.length < life) rounds.push(...shuffled(MODEL_CLIENTS, random));
    return rounds[life - 1] ?? MODEL_CLIENTS[0];
  };
}

export function describeClient({ kind, driver }: ModelClient): string {
  return `${kind} (${driver})`;
}
