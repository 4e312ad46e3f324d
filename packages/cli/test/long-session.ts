import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openStorage } from '../src/compose/open-storage.ts';
import type { Bench } from './harness.ts';

/** Stores a session of the workspace with messages of both roles, in turn: `text 1`, `text 2` and so on. */
export async function writeLongSession(
  { home, workspace }: Bench,
  { count, model }: { count: number; model: string },
): Promise<string> {
  await mkdir(join(home, '.local', 'share', 'longhaul'), { recursive: true });
  const { store } = await openStorage({
    url: `sqlite:${join(home, '.local', 'share', 'longhaul', 'longhaul.db')}`,
  });
  await using _store = store;
  const id = randomUUID();
  const at = Date.now();
  const staged = await store.stageSession({
    id,
    workspace,
    task: 'long',
    title: 'long',
    createdAt: at,
    model,
  });
  const drafts = Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    status: 'done' as const,
    tokenCount: 3,
    createdAt: at,
    parts: [{ id: randomUUID(), type: 'text' as const, state: 'done' as const, text: `text ${index + 1}` }],
  }));
  await staged.append(drafts);
  await staged.publish({ patch: { status: 'completed' }, marks: [] });
  return id;
}
