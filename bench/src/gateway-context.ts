import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConversationContext } from '@longhaul/gateway';
import type { ChatMessage } from '@longhaul/protocol';
import { createMemoryCache, openSqliteCache } from '@longhaul/storage';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const KEPT = 100_000;
const LOOKUPS = 200;
/** Lookup keys of a conversation of 200 turns. Only the last key has a compaction, so all are looked up. */
const PLACES = 400;
const WINDOW = 8_192;
const TURNS = 200;
const MEGABYTE = 1024 * 1024;

/**
 * Measures the gateway's context handling: finding a cached compaction, a large request with a known prefix (compared
 * with parsing its JSON), and a long chat with the tokens it saves.
 */
export async function benchGatewayContext(): Promise<BenchResult> {
  const findMs = await timeFinding();
  const seen = await timeSeenRequest();
  const chat = await longChat();
  return {
    name: 'gateway-context',
    rows: [
      { label: `finding a compaction among ${KEPT.toLocaleString('en')}`, values: { 'median ms': findMs } },
      { label: '1 MB with a known prefix: JSON.parse', values: { 'median ms': seen.parseMs } },
      { label: '1 MB with a known prefix: context', values: { 'median ms': seen.prepareMs } },
      { label: `${TURNS} turns in 8k: a turn`, values: { 'median ms': chat.turnMs } },
      { label: `${TURNS} turns in 8k: a compaction`, values: { 'median ms': chat.compactionMs } },
    ],
    summary: {
      findMs: round(findMs),
      seenMs: round(seen.prepareMs),
      seenToParse: round(seen.prepareMs / seen.parseMs),
      compactions: chat.compactions,
      tokensSaved: chat.tokensSaved,
      keptShare: round(chat.keptShare),
    },
  };
}

/** Uses its own database, filled like that of a gateway with many users. */
async function timeFinding(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  try {
    await using cache = await openSqliteCache({ path: join(folder, 'cache.db'), maxBytes: 1024 * MEGABYTE });
    const value = JSON.stringify({ version: 1, summary: 'x'.repeat(2_000) });
    for (let start = 0; start < KEPT; start += 1_000)
      await Promise.all(Array.from({ length: 1_000 }, (_, index) => cache.set(keyOf(start + index), value)));
    const times: number[] = [];
    for (let lookup = 0; lookup < LOOKUPS; lookup += 1) {
      const places = Array.from({ length: PLACES - 1 }, (_, index) => `missing ${lookup} ${index}`);
      const startedAt = performance.now();
      const hit = await cache.getFirst([...places, keyOf((lookup * 7_919) % KEPT)]);
      times.push(performance.now() - startedAt);
      if (hit === undefined) throw new Error('A cached compaction was not found.');
    }
    return median(times);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function keyOf(number: number): string {
  return `gateway-compaction:1:${number.toString(36).padStart(43, 'k')}`;
}

async function timeSeenRequest(): Promise<{ parseMs: number; prepareMs: number }> {
  const context = createConversationContext({ cache: createMemoryCache() });
  const messages: ChatMessage[] = [];
  while (JSON.stringify(messages).length < MEGABYTE) messages.push(...turn(messages.length, 4_000));
  const body = JSON.stringify({ model: 'gpt-4o', messages });
  const parse: number[] = [];
  const prepare: number[] = [];
  for (let request = 0; request < 40; request += 1) {
    const startedAt = performance.now();
    const parsed: { messages: ChatMessage[] } = JSON.parse(body);
    const parsedAt = performance.now();
    parsed.messages.push({ role: 'user', content: `And ${request}?` });
    await context.prepare({ model: 'gpt-4o', windowTokens: 1_000_000, messages: parsed.messages });
    // The first request is not counted: it loads a vocabulary and counts all tokens.
    if (request === 0) continue;
    parse.push(parsedAt - startedAt);
    prepare.push(performance.now() - parsedAt);
  }
  return { parseMs: median(parse), prepareMs: median(prepare) };
}

async function longChat() {
  const context = createConversationContext({ cache: createMemoryCache() });
  const messages: ChatMessage[] = [{ role: 'system', content: 'You are a helpful assistant.' }];
  const turns: number[] = [];
  const compactions: number[] = [];
  const shares: number[] = [];
  let tokensSaved = 0;
  for (let number = 0; number < TURNS; number += 1) {
    const [question, answer] = turn(number, 600);
    messages.push(question);
    const parsed: ChatMessage[] = JSON.parse(JSON.stringify(messages));
    const startedAt = performance.now();
    const prepared = await context.prepare({ model: 'gpt-4o', windowTokens: WINDOW, messages: parsed });
    const tookMs = performance.now() - startedAt;
    tokensSaved += prepared.originalTokens - prepared.estimatedTokens;
    if (prepared.compacted?.isFromCache === false) compactions.push(tookMs);
    else turns.push(tookMs);
    if (prepared.compacted?.round === 1 && !prepared.compacted.isFromCache)
      shares.push(prepared.estimatedTokens / prepared.originalTokens);
    messages.push(answer);
  }
  return {
    turnMs: median(turns),
    compactionMs: median(compactions),
    compactions: compactions.length,
    tokensSaved,
    keptShare: median(shares),
  };
}

function turn(number: number, chars: number): [ChatMessage, ChatMessage] {
  const words = Array.from({ length: chars / 10 }, (_, index) => `word${(number * 31 + index * 7) % 997}`);
  return [
    { role: 'user', content: `Question ${number}: ${words.slice(0, chars / 40).join(' ')}?` },
    { role: 'assistant', content: `Answer ${number}: ${words.join(' ')}.` },
  ];
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
