import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { createModelDriver } from '@longhaul/drivers';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { testRun, testTool, text } from '@longhaul/testing/doubles';
import type { BenchResult, BenchRow } from './bench-result.ts';
import { DRIVERS, type Wire } from './drivers.ts';

/** Steps of each of the two runs. */
const STEPS = 20;
const DAYS = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z'];

/**
 * Measures how much of each request is at the beginning of the next one, in a session of 40 steps that another process
 * resumes on the next day. Only that beginning can come from a provider's cache.
 */
export async function benchPrefix(): Promise<BenchResult> {
  const rows: BenchRow[] = [];
  for (const driver of DRIVERS) rows.push(await measure(driver));
  const isWhole = ({ values }: BenchRow) => values['common prefix %'] === 100;
  return {
    name: 'prefix',
    rows,
    summary: Object.fromEntries(rows.map(({ label, values }) => [label, Number(values['common prefix %'])])),
    broken: rows
      .filter((row) => !isWhole(row))
      .map(({ label }) => `${label}: a request is not repeated whole`),
  };
}

async function measure({ label, kind, driver, wire }: (typeof DRIVERS)[number]): Promise<BenchRow> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    requests.push(promptOf(body));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const isLast = requests.length % STEPS === 0;
    const answer = isLast ? SAID[wire] : called(wire, `call${requests.length}`);
    response.end(answer.replaceAll(String(COUNTED), String(Math.ceil(body.length / 4))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await runTwice({ kind, driver, baseUrl, path: join(folder, 'longhaul.db') });
  } finally {
    mock.timers.reset();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }
  if (requests.length !== 2 * STEPS) throw new Error(`${label}: ${requests.length} requests.`);
  return { label, values: compare(requests) };
}

async function runTwice({
  kind,
  driver,
  baseUrl,
  path,
}: Pick<(typeof DRIVERS)[number], 'kind' | 'driver'> & { baseUrl: string; path: string }): Promise<void> {
  const info = {
    provider: 'bench',
    model: 'bench',
    windowTokens: 1_000_000,
    maxOutputTokens: 10_000,
    accepts: { images: false, files: false },
  };
  const options = { kind, provider: 'bench', model: 'bench', baseUrl, apiKey: 'key', info };
  const look = testTool('look', () => text(`a line of output ${look.starts}\n`.repeat(40)));
  let id: string | undefined;
  for (const now of DAYS) {
    mock.timers.enable({ apis: ['Date'], now: new Date(now) });
    await using store = await openSqliteStore({ path });
    const model = await createModelDriver({ ...options, settings: { driver } });
    const { runtime, sessionId } = await testRun(model, [look], { store });
    id ??= sessionId;
    await runtime.run(id, { content: [{ type: 'text', text: 'Go on.' }] });
    mock.timers.reset();
  }
}

/** What a provider caches, in its order and without the marks of breakpoints, which are not part of the prompt. */
function promptOf(body: string): string {
  const { tools, system, instructions, systemInstruction, messages, input, contents } = JSON.parse(body);
  const prompt = [tools, system ?? instructions ?? systemInstruction, messages ?? input ?? contents];
  const text = JSON.stringify(prompt, (key, value) => (key === 'cache_control' ? undefined : value));
  // More can be joined to the last message.
  return text.replace(/[\]}"]*$/, '');
}

function compare(prompts: readonly string[]): BenchRow['values'] {
  let sent = 0;
  let common = 0;
  for (const [index, before] of prompts.slice(0, -1).entries()) {
    const next = prompts[index + 1] ?? '';
    let length = 0;
    while (length < before.length && before[length] === next[length]) length += 1;
    sent += before.length;
    common += length;
  }
  return {
    requests: prompts.length,
    'repeated kB': Math.round(common / 1_000),
    'common prefix %': Number(((100 * common) / sent).toFixed(2)),
  };
}

const named = (body: { type: string; [key: string]: unknown }) =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const plain = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
/** Stands for the tokens of the request, because a server that reports too few of them has cut it. */
const COUNTED = 777_777;
const USAGE = { input_tokens: COUNTED, output_tokens: 10 };
const INPUT = '{"at":1}';

const chat = (delta: object, finish_reason: string | null = null) =>
  plain({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason }],
  });
const google = (part: object) =>
  plain({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }] });
const openai = (item: object, delta: { type: string; [key: string]: unknown }) =>
  named({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'bench' } }) +
  named({ type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } }) +
  named({ item_id: 'i', output_index: 0, ...delta }) +
  named({ type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } }) +
  named({ type: 'response.completed', response: { id: 'r', usage: USAGE } });
const anthropic = (block: object, delta: object, stop_reason: string) =>
  named({
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'bench',
      content: [],
      stop_reason: null,
      usage: USAGE,
    },
  }) +
  named({ type: 'content_block_start', index: 0, content_block: block }) +
  named({ type: 'content_block_delta', index: 0, delta }) +
  named({ type: 'content_block_stop', index: 0 }) +
  named({ type: 'message_delta', delta: { stop_reason }, usage: USAGE }) +
  named({ type: 'message_stop' });

/** A call of the tool, in the form of each API. */
function called(wire: Wire, id: string): string {
  if (wire === 'chat') {
    const call = { index: 0, id, type: 'function', function: { name: 'look', arguments: INPUT } };
    return `${chat({ tool_calls: [call] })}${chat({}, 'tool_calls')}data: [DONE]\n\n`;
  }
  if (wire === 'google') return google({ functionCall: { name: 'look', args: JSON.parse(INPUT) } });
  if (wire === 'openai') {
    const item = { type: 'function_call', id: 'i', call_id: id, name: 'look', arguments: INPUT };
    return openai(item, { type: 'response.function_call_arguments.delta', delta: INPUT });
  }
  const block = { type: 'tool_use', id, name: 'look', input: {} };
  return anthropic(block, { type: 'input_json_delta', partial_json: INPUT }, 'tool_use');
}

const SAID: Record<Wire, string> = {
  chat: `${chat({ content: 'Done.' })}${chat({}, 'stop')}data: [DONE]\n\n`,
  google: google({ text: 'Done.' }),
  openai: openai(
    { type: 'message', id: 'i', role: 'assistant', content: [] },
    { type: 'response.output_text.delta', content_index: 0, delta: 'Done.' },
  ),
  anthropic: anthropic({ type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }, 'end_turn'),
};
