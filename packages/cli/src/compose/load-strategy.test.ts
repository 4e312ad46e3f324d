import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_CONFIG, loadConfig } from '@longhaul/config';
import {
  activeMarks,
  buildView,
  compact,
  computeBudget,
  countByClasses,
  createRequestMeter,
} from '@longhaul/context/engine';
import type { CompressionSettings } from '@longhaul/core';
import type { Message, ToolPart } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compressionSettings } from './compression.ts';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/own-strategy.ts', import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-strategy-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The settings that the named file `longhaul.yml` in the folder leads to. */
async function settingsFrom(compression: string): Promise<CompressionSettings> {
  await writeFile(join(folder, 'longhaul.yml'), `context:\n  compression: ${compression}\n`);
  const { config } = await loadConfig({
    cwd: folder,
    env: {},
    home: folder,
    file: join(folder, 'longhaul.yml'),
  });
  return compressionSettings(config.context.compression, config.project?.files);
}

async function settingsFromModule(source: string, name = 'mine.mjs'): Promise<CompressionSettings> {
  await writeFile(join(folder, name), source);
  return settingsFrom(`{ strategy: ./${name} }`);
}

function step(sequence: number, tool: string): Message {
  const output = 'const value = compute(input);\n'.repeat(60);
  const part: ToolPart = {
    type: 'tool',
    callId: `call-${sequence}`,
    name: tool,
    input: { path: `src/f${sequence}.ts` },
    state: 'completed',
    output: [{ type: 'text', text: output }],
  };
  return message(sequence, 'assistant', [part]);
}

function message(sequence: number, role: Message['role'], parts: Message['parts']): Message {
  const id = `m${sequence}`;
  return { id, sessionId: 's', sequence, role, parts, status: 'done', createdAt: sequence, tokenCount: 0 };
}

/** Reads, and a change at every eighth step. */
function session(): Message[] {
  const task = message(1, 'user', [{ type: 'text', text: 'Port it', state: 'done' }]);
  const steps = Array.from({ length: 28 }, (_, index) => step(index + 2, index % 8 === 1 ? 'edit' : 'read'));
  return [task, ...steps];
}

async function compactWith({ strategy, ledgerShare }: CompressionSettings) {
  let ids = 0;
  const log = { messages: session(), marks: [] };
  const outcome = await compact({
    log,
    budget: computeBudget({ windowTokens: 20_000, maxOutputTokens: 4_000, fixedTokens: 0 }),
    meter: createRequestMeter(countByClasses),
    strategy,
    ledgerShare,
    reason: 'threshold',
    count: countByClasses,
    newId: () => `made-${++ids}`,
    now: 0,
  });
  if (outcome.status === 'exhausted') throw outcome.error;
  const marks = [{ kind: 'compaction', sessionId: 's', ...outcome.compaction } as const, ...outcome.marks];
  return { ...outcome, marks, view: buildView({ messages: log.messages, marks }) };
}

describe("one's own strategy, named by the configuration", () => {
  it('decides which messages stay: the example keeps the steps that changed files', async () => {
    const settings = await settingsFrom(`{ strategy: '${relativeTo(folder, EXAMPLE)}' }`);
    expect(settings.strategy).toMatchObject({ name: 'keep-changes', trigger: { percent: 0.7 } });
    const { compaction, warnings, view, marks } = await compactWith(settings);
    expect(warnings).toEqual([]);
    expect(compaction.strategy).toBe('keep-changes');
    const { hidden } = activeMarks(marks);
    const shown = view.flatMap(({ source }) => source?.sequence ?? []);
    expect(shown[0]).toBe(1);
    expect(shown).toContain(29);
    const changes = session().filter(({ parts }) =>
      parts.some((part) => part.type === 'tool' && part.name === 'edit'),
    );
    const hiddenChanges = changes.filter(({ id }) => hidden.has(id)).length;
    expect(changes.length).toBe(4);
    expect(hiddenChanges).toBeLessThan(2);
    expect(hidden.size).toBeGreaterThan(12);
    expect(compaction.summary.ledger).toContain('f3.ts');
  });

  it('receives the options and the configured trigger', async () => {
    await writeFile(
      join(folder, 'mine.mjs'),
      `export const createStrategy = (options) => ({
        name: JSON.stringify(options), trigger: { kind: 'overflow' }, plan: async () => ({ hides: [], marks: [] }) });`,
    );
    const { strategy } = await settingsFrom(
      '{ strategy: ./mine.mjs, trigger: { threshold: 0.6 }, options: { recentMessagesToKeep: 4 } }',
    );
    const trigger = { kind: 'threshold', percent: 0.6 };
    expect(strategy.trigger).toEqual(trigger);
    expect(JSON.parse(strategy.name)).toMatchObject({
      trigger,
      recentMessagesToKeep: 4,
      preserveLastNTurns: 2,
    });
  });

  it.each([
    { how: 'an object', source: 'export const strategy = MINE' },
    { how: 'a default object', source: 'export default MINE' },
    { how: 'a default function', source: 'export default async () => MINE' },
  ])('is exported as $how', async ({ source }) => {
    const mine =
      "{ name: 'mine', trigger: { kind: 'overflow' }, plan: async () => ({ hides: [], marks: [] }) }";
    const { strategy } = await settingsFromModule(`${source.replace('MINE', `(${mine})`)};`);
    expect(strategy.name).toBe('mine');
  });

  it.each([
    {
      what: 'a module without exports',
      source: 'const a = 1;',
      says: /must export "strategy", .* exports nothing/,
    },
    { what: 'another export', source: 'export const plan = 1;', says: /must export .* and exports plan/ },
    {
      what: 'text',
      source: "export const strategy = 'mine';",
      says: /its strategy is not an object .*but string/,
    },
    {
      what: 'no plan',
      source: "export const strategy = { name: 'a', trigger: { kind: 'overflow' } };",
      says: /has no plan function/,
    },
    { what: 'no name', source: 'export const strategy = { plan() {} };', says: /has no name/ },
    {
      what: 'a trigger in per cent',
      source:
        "export const strategy = { name: 'a', plan() {}, trigger: { kind: 'threshold', percent: 80 } };",
      says: /has no trigger such as/,
    },
    { what: 'a syntax error', source: 'export const = 3;', says: /cannot be loaded: / },
    {
      what: 'a module that throws',
      source: "throw new Error('no luck');",
      says: /cannot be loaded: no luck/,
    },
    {
      what: 'a factory that throws',
      source: "export const createStrategy = () => { throw new Error('no luck'); };",
      says: /creating its strategy failed: no luck/,
    },
  ])('that is $what is a clear error', async ({ source, says }) => {
    const loading = settingsFromModule(source);
    await expect(loading).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(says),
    });
    await expect(loading).rejects.toThrow('mine.mjs');
  });

  it('that does not exist, or is a folder, is a clear error', async () => {
    await expect(settingsFrom('{ strategy: ./none.ts }')).rejects.toThrow(
      /none\.ts, but there is no such file/,
    );
    await mkdir(join(folder, 'a.ts'));
    await expect(settingsFrom('{ strategy: ./a.ts }')).rejects.toThrow(/a\.ts, but it is no file/);
  });
});

describe("the engine's strategies", () => {
  it('take the options and the configured trigger', async () => {
    const { compression } = DEFAULT_CONFIG.context;
    const own = await compressionSettings({ ...compression, strategy: 'structured-summary' });
    expect(own).toMatchObject({ auto: true, strategy: { trigger: { kind: 'available', percent: 0.8 } } });
    const late = await compressionSettings({
      ...compression,
      strategy: 'proactive-threshold',
      trigger: 'overflow',
    });
    expect(late.strategy).toMatchObject({ name: 'proactive-threshold', trigger: { kind: 'overflow' } });
    const manual = await compressionSettings({
      ...compression,
      strategy: 'middle-removal',
      trigger: 'manual',
    });
    expect(manual).toMatchObject({ auto: false, strategy: { name: 'middle-removal' } });
  });
});

function relativeTo(from: string, to: string): string {
  const path = relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}
