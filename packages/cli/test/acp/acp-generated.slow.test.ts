import { type Random, seededRandom } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import type { Editor } from './editor.ts';
import { EditorBench } from './editor-bench.ts';

const METHODS = [
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_config_option',
  '$/cancel_request',
  'fs/read_text_file',
];
const KEYS = [
  'cwd',
  'mcpServers',
  'prompt',
  'modeId',
  'configId',
  'value',
  'cursor',
  'requestId',
  'protocolVersion',
];
const TYPES = ['text', 'image', 'resource', 'resource_link', 'audio', 'other'];
const MESSAGES = 300;
const INTERNAL = -32603;

it.each([1, 2, 3])('answers generated messages without an internal failure (seed %i)', async (seed) => {
  await using bench = await EditorBench.open();
  const editor = await bench.editor();
  const id = await editor.begin(bench.folder);
  const random = seededRandom(seed);
  for (let number = 0; number < MESSAGES; number += 1)
    await editor.write(line(random, { number, id, folder: bench.folder }));
  const fresh = await editor.begin(bench.folder);
  expect(await editor.prompt(fresh, 'greet')).toEqual({ stopReason: 'end_turn' });
  expect(internalErrors(editor)).toEqual([]);
  editor.leave();
  await editor.ended;
  // Responses to requests that the client of this test did not make.
  editor.schema.problems.length = 0;
});

interface Place {
  number: number;
  id: string;
  folder: string;
}

function line(random: Random, place: Place): string {
  const { number, id, folder } = place;
  const params: Record<string, unknown> = { sessionId: pick(random, [id, id, 'none', 7]) };
  for (const key of KEYS) if (random() < 0.5) params[key] = value(random, place);
  if (random() < 0.5) params['cwd'] = folder;
  if (random() < 0.5) params['prompt'] = [block(random, place)];
  const given = random() < 0.9 ? params : value(random, place);
  const message = { jsonrpc: '2.0', method: pick(random, METHODS), params: given };
  const text = JSON.stringify(random() < 0.7 ? { ...message, id: `g${number}` } : message);
  return random() < 0.05 ? text.slice(0, Math.floor(random() * text.length)) : text;
}

function block(random: Random, place: Place): object {
  const uri = pick(random, ['file:///etc/hosts', 'file://%', 'x', '']);
  return {
    type: pick(random, TYPES),
    text: pick(random, ['greet', '/context', '/compact', '/pin', '', '\0']),
    data: pick(random, ['AAAA', '?', '']),
    mimeType: 'image/png',
    uri,
    name: 'n',
    resource: { uri, text: pick(random, ['its text', 7]) },
    more: value(random, place),
  };
}

function value(random: Random, { id, folder }: Place): unknown {
  const texts = ['', id, folder, '/missing', 'relative', 'é'.repeat(999)];
  return pick<unknown>(random, [null, 0, -1, 1e300, true, [], {}, [{}], ...texts]);
}

function pick<T>(random: Random, values: readonly T[]): T | undefined {
  return values[Math.floor(random() * values.length)];
}

function internalErrors(editor: Editor): unknown[] {
  const lines = editor.running.output().split('\n');
  return lines.filter((each) => each !== '' && JSON.parse(each).error?.code === INTERNAL);
}
