import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModelDriver, type ProviderKind } from '@longhaul/drivers';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const DELTAS = 20_000;
const ROUNDS = 7;

export type Wire = 'anthropic' | 'openai' | 'google' | 'chat';

export const DRIVERS = [
  { label: 'AI SDK, anthropic', kind: 'anthropic', driver: 'ai-sdk', wire: 'anthropic' },
  { label: 'native, anthropic', kind: 'anthropic', driver: 'native', wire: 'anthropic' },
  { label: 'AI SDK, openai', kind: 'openai', driver: 'ai-sdk', wire: 'openai' },
  { label: 'native, openai', kind: 'openai', driver: 'native', wire: 'openai' },
  { label: 'AI SDK, google', kind: 'google', driver: 'ai-sdk', wire: 'google' },
  { label: 'AI SDK, openai-compatible', kind: 'openai-compatible', driver: 'ai-sdk', wire: 'chat' },
  { label: 'native, openai-compatible', kind: 'openai-compatible', driver: 'native', wire: 'chat' },
] as const;

/**
 * Measures what each driver adds to a delta. The same answer is read over HTTP by the driver, and by a loop that only
 * parses the JSON of each event. All of them alternate.
 */
export async function benchDrivers(): Promise<BenchResult> {
  const server = createServer((request, response) => {
    const wire = /^\/(\w+)/.exec(request.url ?? '')?.[1];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(ANSWERS[wire as Wire]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const added = DRIVERS.map((): number[] => []);
    // The first two rounds warm up the code.
    for (let round = -2; round < ROUNDS; round += 1) {
      for (const [index, { kind, driver, wire }] of DRIVERS.entries()) {
        const parsed = await cpuOf(() => parse(`${url}/${wire}`));
        const driven = await cpuOf(() => drive({ kind, driver, baseUrl: `${url}/${wire}` }));
        if (round >= 0) added[index]?.push((driven - parsed) / DELTAS);
      }
    }
    return toResult(added);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function toResult(added: readonly number[][]): BenchResult {
  const medians = added.map((values) => Number(median(values).toFixed(2)));
  const rows = DRIVERS.map(({ label }, index) => ({
    label,
    values: { 'added CPU µs a delta': medians[index] ?? 0 },
  }));
  return {
    name: 'drivers',
    rows,
    summary: Object.fromEntries(rows.map(({ label, values }) => [label, values['added CPU µs a delta']])),
  };
}

/** CPU time of this process in microseconds, the server's included: it is the same on both sides. */
async function cpuOf(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const deltas = await work();
  const { user, system } = process.cpuUsage(before);
  if (deltas !== DELTAS) throw new Error(`Expected ${DELTAS} deltas, got ${deltas}.`);
  return user + system;
}

async function parse(url: string): Promise<number> {
  const { body } = await fetch(url, { method: 'POST' });
  const decoder = new TextDecoder();
  let rest = '';
  let deltas = 0;
  for await (const bytes of body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      JSON.parse(line.slice(6));
      if (line.includes('words ')) deltas += 1;
    }
  }
  return deltas;
}

interface DriveOptions {
  kind: ProviderKind;
  driver: 'ai-sdk' | 'native';
  baseUrl: string;
}

async function drive({ kind, driver, baseUrl }: DriveOptions): Promise<number> {
  const info = {
    provider: 'bench',
    model: 'bench',
    windowTokens: 1_000_000,
    maxOutputTokens: 100_000,
    accepts: { images: false, files: false },
  };
  const settings = { driver };
  const model = await createModelDriver({ kind, provider: 'bench', model: 'bench', baseUrl, info, settings });
  const request = {
    system: '',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }],
    tools: [],
    signal: new AbortController().signal,
  };
  let deltas = 0;
  for await (const event of model.step(request)) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'text-delta') deltas += 1;
  }
  return deltas;
}

const named = (body: { type: string }) => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const plain = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const WORDS = 'words ';

const MESSAGE = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'bench',
  content: [],
  stop_reason: null,
};
const ITEM = { type: 'message', id: 'i', status: 'in_progress', role: 'assistant', content: [] };
const USAGE = { input_tokens: 1, output_tokens: DELTAS };
const chat = (delta: object, finish_reason: string | null = null) =>
  plain({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason }],
  });

/** The same answer in the form of each API. */
const ANSWERS: Record<Wire, string> = {
  anthropic:
    named({ type: 'message_start', ...{ message: { ...MESSAGE, stop_sequence: null, usage: USAGE } } }) +
    named({ type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } }) +
    named({
      type: 'content_block_delta',
      ...{ index: 0, delta: { type: 'text_delta', text: WORDS } },
    }).repeat(DELTAS) +
    named({ type: 'content_block_stop', ...{ index: 0 } }) +
    named({ type: 'message_delta', ...{ delta: { stop_reason: 'end_turn' }, usage: USAGE } }) +
    named({ type: 'message_stop' }),
  openai:
    named({ type: 'response.created', ...{ response: { id: 'r', created_at: 1, model: 'bench' } } }) +
    named({ type: 'response.output_item.added', ...{ output_index: 0, item: ITEM } }) +
    named({
      type: 'response.output_text.delta',
      ...{ item_id: 'i', output_index: 0, content_index: 0, delta: WORDS },
    }).repeat(DELTAS) +
    named({ type: 'response.output_item.done', ...{ output_index: 0, item: ITEM } }) +
    named({ type: 'response.completed', ...{ response: { id: 'r', usage: USAGE } } }),
  google:
    plain({ candidates: [{ content: { role: 'model', parts: [{ text: WORDS }] }, index: 0 }] }).repeat(
      DELTAS,
    ) + plain({ candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }] }),
  chat: `${chat({ content: WORDS }).repeat(DELTAS)}${chat({}, 'stop')}data: [DONE]\n\n`,
};
