import { createLedgerKeeper, ledgerFoldToJson } from '@longhaul/context/engine';
import { currentClaimant, type Lease, type MessageDraft, type Store } from '@longhaul/core';
import type { Message, Part } from '@longhaul/protocol';
import { openSqliteStore } from '@longhaul/storage/sqlite';

export const MESSAGES = 20_000;
export const CHARS_EACH = 10_000;
/** Number of messages between two compactions. */
const MESSAGES_BETWEEN = 60;
/** Number of messages that a compaction keeps. */
const MESSAGES_LEFT = 10;
const BATCH = 100;

/** Fills the SQLite database at this path. See `fillWithLongSession`. */
export async function fillLongSession(
  path: string,
  options?: Parameters<typeof fillWithLongSession>[1],
): Promise<void> {
  await using store = await openSqliteStore({ path });
  await fillWithLongSession(store, options);
}

/**
 * Stores a session of one message, and a session like one after hours of work: calls with outputs, compacted
 * repeatedly.
 *
 * @param options.messages Of the long session, a multiple of 100.
 */
export async function fillWithLongSession(
  store: Store,
  { workspace = '/', messages = MESSAGES } = {},
): Promise<void> {
  const texts = { task: 'Work', title: 'Work', model: 'bench/m', workspace };
  for (const id of ['empty', 'long']) {
    await store.createSession({ id, createdAt: Date.now(), ...texts });
    const taken = await store.acquireLease(id, { runId: `run-${id}`, ttlMs: 600_000, ...currentClaimant() });
    if (id === 'long') await fillLong(store, taken.lease, messages);
    else await store.appendMessage(taken.lease, messageOf(1, 'empty'));
    await store.finishRun(taken.lease, {
      status: 'completed',
      sessionStatus: 'completed',
      onlyIfQueueEmpty: false,
      events: [],
    });
  }
}

async function fillLong(store: Store, lease: Lease, messages: number): Promise<void> {
  const keeper = createLedgerKeeper();
  const ids: Message[] = [];
  let round = 0;
  let checkpointAt = 0;
  for (let start = 1; start <= messages; start += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => messageOf(start + index));
    const stored = await Promise.all(batch.map((draft) => store.appendMessage(lease, draft)));
    ids.push(...stored.map(({ message }) => message));
    keeper.foldOf(ids);
    // Folded messages no longer need their parts.
    for (const [index, message] of ids.entries())
      if (message.parts.length > 0) ids[index] = { ...message, parts: [] };
    for (let end = start; end < start + BATCH; end += MESSAGES_BETWEEN) {
      round += 1;
      const isDue = ids.length > checkpointAt * 1.5;
      const checkpoint = isDue
        ? { sequence: ids.length, fold: ledgerFoldToJson(keeper.foldOf(ids)) }
        : undefined;
      if (isDue) checkpointAt = ids.length;
      const hides = ids.slice(1, Math.max(1, end - MESSAGES_LEFT)).map(({ id }) => id);
      if (hides.length === 0) continue;
      const sizes = { tokensBefore: 150_000, tokensAfter: 40_000, createdAt: timeOf(end) + 1 };
      const summary = { ledger: 'facts '.repeat(3_000), narrative: 'words '.repeat(500) };
      await store.recordCompaction(
        lease,
        {
          id: `c${round}`,
          round,
          strategy: 'reactive-overflow',
          reason: 'threshold',
          hides,
          summary,
          ...sizes,
        },
        { checkpoint },
      );
    }
  }
}

/** A message a second. */
function timeOf(sequence: number): number {
  return 1_700_000_000_000 + sequence * 1_000;
}

function messageOf(sequence: number, session = 'long'): MessageDraft {
  const isUser = sequence === 1;
  const base = {
    id: `${session}-${String(sequence).padStart(30, '0')}`,
    createdAt: timeOf(sequence),
    status: 'done',
  } as const;
  const words: Part = {
    type: 'text',
    text: `Step ${sequence}: look at src/part${sequence % 400}.ts`,
    state: 'done',
  };
  const usage = {
    inputTokens: 50_000,
    outputTokens: 300,
    reasoningTokens: 0,
    cacheReadTokens: 40_000,
    cacheWriteTokens: 0,
    totalTokens: 50_300,
  };
  if (isUser) return { ...base, role: 'user', parts: [words], tokenCount: 20 };
  const call: Part = {
    type: 'tool',
    callId: `call-${sequence}`,
    name: 'read',
    input: { path: `src/part${sequence % 400}.ts` },
    state: 'completed',
    output: [{ type: 'text', text: output(sequence) }],
  };
  const finish = { finishReason: 'tool-calls', usage, model: 'bench/m' } as const;
  return {
    ...base,
    role: 'assistant',
    parts: [words, call],
    tokenCount: Math.ceil(CHARS_EACH / 4),
    ...finish,
  };
}

function output(sequence: number): string {
  const lines: string[] = [];
  for (let line = 0, chars = 0; chars < CHARS_EACH; line += 1) {
    const text = `${line} export function handle${(sequence * 7 + line) % 5000}Of(request${line % 50}) { return request.body; }`;
    lines.push(text);
    chars += text.length + 1;
  }
  return lines.join('\n');
}
