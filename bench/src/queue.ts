import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import type { BenchResult } from './bench-result.ts';

const SENDERS = 20;
const MESSAGES_EACH = 500;

/**
 * Queues 10,000 messages for one session from 20 processes at once. Measures the rate, lost messages and messages out
 * of their sender's order.
 */
export async function benchQueue(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const path = join(folder, 'longhaul.db');
  try {
    await using store = await openSqliteStore({ path });
    const texts = { task: '', title: '', model: 'bench/m', workspace: '/' };
    await store.createSession({ id: 'shared', createdAt: Date.now(), ...texts });
    const senders = await Promise.all(
      Array.from({ length: SENDERS }, (_, index) => startSender(path, `s${index}`)),
    );
    const start = performance.now();
    await Promise.all(senders.map((send) => send()));
    const seconds = (performance.now() - start) / 1_000;
    const ids = (await store.listQueue('shared')).map(({ id }) => id);
    const rate = Math.round(ids.length / seconds);
    return {
      name: 'queue',
      rows: [
        { label: `${SENDERS} processes, ${MESSAGES_EACH} messages each`, values: { 'messages/s': rate } },
      ],
      summary: {
        lost: SENDERS * MESSAGES_EACH - new Set(ids).size,
        outOfOrder: outOfOrder(ids),
        perSecond: rate,
      },
      notes: ['Each message and its event are on disk before the next message is sent.'],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Starts a process and waits until it is ready. The returned function starts sending and waits until the process ends.
 */
async function startSender(path: string, name: string): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('queue-process.ts', import.meta.url));
  const args = [...FROM_SOURCE, program, path, name, `${MESSAGES_EACH}`];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.write('go\n');
    const [code] = await ended;
    if (code !== 0) throw new Error(`The sender ${name} exited with code ${code}.`);
  };
}

function outOfOrder(ids: readonly string[]): number {
  const last = new Map<string, number>();
  let wrong = 0;
  for (const id of ids) {
    const [sender = '', number = '0'] = id.split('-');
    if (Number(number) <= (last.get(sender) ?? 0)) wrong += 1;
    last.set(sender, Number(number));
  }
  return wrong;
}
