import type { Session } from '@longhaul/protocol';
import { CompactionHooks } from '../executor/compaction-hooks.ts';
import { RunHooks } from '../executor/run-hooks.ts';
import { DueHooks } from '../session/due-hooks.ts';
import { createProcessRecorder } from '../session/runs/process-recorder.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { inSandbox } from './in-sandbox.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const ON: ReadonlySet<string> = new Set(['compaction.before', 'compaction.after']);

/** Work on a session between its runs. */
export interface IdleWork {
  session: Session;
  writer: SessionWriter;
  signal: AbortSignal;
}

/**
 * Calls `work` with the hooks of a compaction between runs, in a sandbox of their own. Without such hooks, no sandbox
 * is opened.
 */
export async function withCompactionHooks<T>(
  { session, writer, signal }: IdleWork,
  { store, hooksFor, openSandbox }: Pick<RuntimeOptions, 'store' | 'hooksFor' | 'openSandbox'>,
  work: (hooks: CompactionHooks | undefined) => Promise<T>,
): Promise<T> {
  const hooks = ((await hooksFor?.(session)) ?? []).filter(({ on }) => ON.has(on));
  if (hooks.length === 0) return await work(undefined);
  const due = new DueHooks(store, (await store.getSession(session.id)) ?? session);
  const record = createProcessRecorder(store, writer.lease);
  return await inSandbox(
    () => openSandbox(session, signal, record),
    async (sandbox) => {
      const running = new RunHooks({ hooks, writer, due, context: { session, sandbox, signal } });
      return await work(new CompactionHooks({ hooks: running, due, writer }));
    },
  );
}
