import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool, ToolInput } from '@longhaul/core';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { openLines, readLines } from '../records/lines.ts';
import type { SessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';

/** An effect of a child, recorded outside the database. */
export interface FamilyEffectLine {
  key: string;
  sessionId: string;
  callId: string;
  at: number;
  life: number;
}

/** The longest time that an effect takes. */
const MOST_MS = 60;

/** Creates the tool of the children's effects, and one that tells which were made, and whether the parent must finish. */
export function familyTools(paths: SessionPaths, life: number): Tool<JsonObject>[] {
  const effects = openLines<FamilyEffectLine>(paths.effects, true);
  return [
    tool('effect', 'Make an effect.', async ({ key }, { sessionId, callId, signal }) => {
      effects.write({ key: String(key), sessionId, callId, at: trueTime(), life });
      await sleep(Math.random() * MOST_MS, undefined, { signal }).catch(() => undefined);
      return text(`${key} is made`);
    }),
    tool('progress', 'Show whether an effect was made, and whether to finish.', async ({ key }) => {
      const isMade = readLines<FamilyEffectLine>(paths.effects).some((line) => line.key === key);
      const effect = key === undefined ? '' : `${key} is ${isMade ? 'made' : 'missing'}; `;
      return text(`${effect}finish ${existsSync(paths.finish) ? 'yes' : 'no'}`);
    }),
  ];
}

function text(content: string) {
  return { content: [{ type: 'text' as const, text: content }] };
}

function tool(name: string, description: string, execute: Tool<JsonObject>['execute']): Tool<JsonObject> {
  const parse = (input: JsonValue): ToolInput<JsonObject> =>
    isObject(input) ? { ok: true, input } : { ok: false, reason: 'The arguments must be an object.' };
  return {
    name,
    schema: { name, description, parameters: { type: 'object', properties: { key: { type: 'string' } } } },
    parse,
    execute,
  };
}
