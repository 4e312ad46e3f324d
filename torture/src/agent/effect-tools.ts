import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentOwner, type Tool, type ToolInput } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { doneText, progressOf, progressText } from '../model/plan.ts';
import { type EffectLine, openLines, readLines } from '../records/lines.ts';
import type { SessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';

type Input = { [key: string]: JsonValue | undefined };

const SHARED_FILES = ['1', '2', '3', '4', '5'];

/** Creates tools that record their effects outside the database, and a tool that reads the recorded progress. */
export function effectTools(paths: SessionPaths, life: number): Tool<Input>[] {
  const effects = openLines<EffectLine>(paths.effects, true);
  const by = `process ${currentOwner().processStartedAt}`;
  return [
    tool(
      'effect',
      'Perform the effect of one item of a step.',
      async ({ step, item, words }, { callId, signal }) => {
        effects.write({ callId, step: Number(step), item: String(item), at: trueTime(), by, life });
        changeFiles(paths.workspace, callId);
        await sleep(Math.random() * 40, undefined, { signal }).catch(() => undefined);
        const done = doneText(Number(step), item === 'a' ? 'a' : 'b', existsSync(paths.finish));
        return { content: [{ type: 'text', text: `${done}\n${'word '.repeat(Number(words))}` }] };
      },
    ),
    tool('progress', 'Show the next step and its missing items.', async () => {
      const lines = readLines<EffectLine>(paths.effects);
      const done = new Set(lines.map(({ step, item }) => `${step}.${item}`));
      return { content: [{ type: 'text', text: progressText(progressOf(done, existsSync(paths.finish))) }] };
    }),
    tool('picture', 'Take a picture of a step.', async ({ step }) => ({
      content: [
        { type: 'text', text: `A picture of step ${step}.` },
        { type: 'image', data: pictureOf(Number(step)), mediaType: 'image/png' },
      ],
    })),
  ];
}

/** Adds a file and changes others, so that a revert has several files to delete and to restore. */
function changeFiles(workspace: string, callId: string): void {
  const folder = join(workspace, 'items');
  mkdirSync(folder, { recursive: true });
  for (const name of [callId, ...SHARED_FILES]) writeFileSync(join(folder, name), `${callId}\n`);
}

function tool(name: string, description: string, execute: Tool<Input>['execute']): Tool<Input> {
  const parse = (input: JsonValue): ToolInput<Input> =>
    input !== null && typeof input === 'object' && !Array.isArray(input)
      ? { ok: true, input }
      : { ok: false, reason: 'The arguments must be an object.' };
  return {
    name,
    schema: { name, description, parameters: { type: 'object', properties: {} } },
    parse,
    execute,
  };
}

/**
 * Returns the start of an 8 × 8 pixel PNG followed by bytes unique to the step. Only that the bytes arrive unchanged
 * matters.
 */
function pictureOf(step: number): string {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000008000000080802000000', 'hex');
  return Buffer.concat([head, Buffer.from(`step ${step} `.repeat(200))]).toString('base64');
}
