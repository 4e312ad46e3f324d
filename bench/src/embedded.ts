import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEmbeddedModel, type EmbeddedModel } from '@longhaul/embedded';
import { writeTinyModel } from '@longhaul/testing/tiny-model';
import type { BenchResult, BenchRow } from './bench-result.ts';
import { type Ask, type Asked, askAt, type Chat } from './embedded/ask.ts';
import { type Peer, startLlamaServer } from './embedded/llama-server.ts';
import { processorMs } from './embedded/processor-ms.ts';
import { median } from './median.ts';

const ROUNDS = 3;
const WINDOW = 20_480;
/** About 16,000 tokens. */
const HISTORY =
  'The function reads the next line of the file, and returns the number of words in it. '.repeat(790);
const SENTENCE = Array.from({ length: 60 }, (_, index) => `Word${index} follows`).join(' ');

/**
 * Measures a tiny model with real inference: how fast it reads and writes, what the second step of a session of 16,000
 * tokens costs, and what a state from disk saves. With `LONGHAUL_LLAMA_SERVER=PROGRAM`, llama.cpp's own server runs the
 * same model in the same run.
 */
export async function benchEmbedded(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const path = join(folder, 'tiny.gguf');
  const env = { XDG_RUNTIME_DIR: folder };
  try {
    await writeTinyModel(path, { answers: [{ text: SENTENCE }] });
    const model = await connectEmbeddedModel({
      path,
      folder,
      env,
      windowTokens: WINDOW,
      gpu: false,
      endsWithClient: true,
    });
    const { pid, threads } = await model.facts();
    const peer = await startLlamaServer(path, { windowTokens: WINDOW, threads });
    try {
      return await measure({ pid, ask: askEmbedded(model) }, peer, () => restart(model, pid));
    } finally {
      await peer?.close();
      process.kill((await model.facts()).pid);
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Side {
  pid: number;
  ask: Ask;
}

async function measure(
  own: Side,
  peer: Peer | undefined,
  restartOwn: () => Promise<void>,
): Promise<BenchResult> {
  const sides = new Map<string, Side>([
    ['embedded', own],
    ...(peer === undefined ? [] : [['llama-server', peer] as const]),
  ]);
  const rates = new Map(
    [...sides.keys()].map((name) => [
      name,
      {
        read: [] as number[],
        written: [] as number[],
        processor: [] as number[],
        more: [] as number[],
        overhead: [] as number[],
      },
    ]),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, { ask, pid }] of sides) {
      const samples = rates.get(name);
      // Another beginning in each round, so that nothing is kept.
      const first = { messages: [{ role: 'user', content: `${round}. ${HISTORY}` }] };
      const before = processorMs(pid);
      const answer = await ask(first);
      samples?.processor.push(processorMs(pid) - before);
      samples?.read.push((answer.timings.prompt_n / answer.timings.prompt_ms) * 1_000);
      samples?.written.push((answer.timings.predicted_n / answer.timings.predicted_ms) * 1_000);
      const next = await ask(withMore(first, answer.text));
      samples?.more.push(next.ms);
      // Everything besides the model: the chat template, the tokens, finding the kept state, the connection.
      samples?.overhead.push(next.ms - next.timings.prompt_ms - next.timings.predicted_ms);
    }
  }
  const rows: BenchRow[] = [...rates].map(([name, { read, written, processor, more, overhead }]) => ({
    label: name,
    values: {
      'read tokens/s': Math.round(median(read)),
      'written tokens/s': Math.round(median(written)),
      'processor ms': Math.round(median(processor)),
      'second step ms': Math.round(median(more)),
      'overhead ms': Math.round(median(overhead)),
    },
  }));
  const restored = await measureRestore(own.ask, restartOwn);
  const [ownRates, peerRates] = [rates.get('embedded'), rates.get('llama-server')];
  const ratio = (key: 'read' | 'written') =>
    peerRates === undefined
      ? {}
      : { [`${key}Ratio`]: round2(median(ownRates?.[key] ?? []) / median(peerRates[key])) };
  // Of the first step, which reads everything and writes. Above one: less than the server needs.
  const processorRatio: Record<string, number> =
    peerRates === undefined
      ? {}
      : { processorRatio: round2(median(peerRates.processor) / median(ownRates?.processor ?? [])) };
  return {
    name: 'embedded',
    rows: [...rows, ...restored.rows],
    summary: { ...ratio('read'), ...ratio('written'), ...processorRatio, ...restored.summary },
    notes: [
      'A model of 2 layers and 64 values, in a window of 20,480 tokens, with the threads that the process chose.',
      ...(peer === undefined
        ? ['Set LONGHAUL_LLAMA_SERVER to the program llama-server to compare with it.']
        : []),
    ],
  };
}

/** The time until the answer of a session of 16,000 tokens after a restart: from disk, and without its state. */
async function measureRestore(ask: Ask, restartOwn: () => Promise<void>) {
  const session = { messages: [{ role: 'user', content: `Kept. ${HISTORY}` }] };
  const fresh = await ask(session);
  const next = withMore(session, fresh.text);
  const kept = await ask(next);
  await restartOwn();
  const restored = await ask(withMore(next, kept.text));
  const row = (label: string, { ms, timings }: Asked): BenchRow => ({
    label,
    values: { ms: Math.round(ms), 'tokens read': timings.prompt_n, 'tokens kept': timings.cache_n },
  });
  return {
    rows: [
      row('16k session, first step', fresh),
      row('16k session, second step', kept),
      row('16k session, from disk', restored),
    ],
    summary: {
      secondStepShare: round2(kept.ms / fresh.ms),
      fromDiskShare: round2(restored.ms / fresh.ms),
    },
  };
}

function withMore({ messages }: Chat, answer: string): Chat {
  return {
    messages: [
      ...messages,
      { role: 'assistant', content: answer },
      { role: 'user', content: 'And what is next?' },
    ],
  };
}

function askEmbedded({ fetch }: EmbeddedModel): Ask {
  return askAt('http://model', fetch);
}

/** Ends the process, which stores its states, and waits for the next one. */
async function restart(model: EmbeddedModel, pid: number): Promise<void> {
  process.kill(pid);
  while ((await model.facts()).pid === pid) await new Promise((resolve) => setTimeout(resolve, 20));
}

function round2(value: number): number {
  return Number(value.toFixed(2));
}
