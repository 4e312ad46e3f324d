/**
 * The process of one model. Its argument is `ModelProcessOptions` as JSON. It listens at once, and loads the model while
 * the first requests wait. It ends when nobody has asked for some time, and keeps what it has read on disk.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEmbeddedFile } from '@longhaul/models';
import { type EngineOptions, openEngine } from '../engine/open-engine.ts';
import { IdleEnd } from './idle-end.ts';
import { listenAlone } from './listen-alone.ts';
import { createModelServer } from './model-server.ts';

export interface ModelProcessOptions extends EngineOptions {
  socket: string;
  idleMs: number;
  /** Ends with the program that starts it, whose pipe it has as its input. */
  endsWithClient: boolean;
}

/** So long the program that has started the process has time for its first request. */
const FIRST_MS = 10_000;
/** So long the process loads the model further after the last one who waited for it has left. */
const ABANDONED_MS = 2_000;

/** So long a client that has just started the process can ask why the model cannot be loaded. */
const FAILED_MS = 1_000;
/** So long a client can take the answer. */
const CLOSING_MS = 5_000;

// The argument comes from this package, so it needs no validation.
const options: ModelProcessOptions = JSON.parse(process.argv[2] ?? '{}');
// The library starts scripts of its own with this program. As a single file, it runs them only if it acts as Bun.
if (isEmbeddedFile(process.argv[1] ?? '')) process.env['BUN_BE_BUN'] = '1';
const loading = Promise.withResolvers<Awaited<ReturnType<typeof openEngine>>>();
// A failure is answered to the requests that wait.
loading.promise.catch(() => {});
const idle = new IdleEnd(() => void end('idle'));
let openRequests = 0;
let isEnding = false;
let isLoaded = false;
idle.wait(Math.min(options.idleMs, FIRST_MS), 0);
const server = createModelServer({
  engine: loading.promise,
  onActivity(count) {
    openRequests = count;
    idle.wait(isLoaded ? options.idleMs : Math.min(options.idleMs, ABANDONED_MS), count);
  },
});
if (await listenAlone(server, options.socket)) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end('signal'));
  if (options.endsWithClient) process.stdin.once('close', () => void end('signal')).resume();
  openEngine(options).then(
    (engine) => {
      isLoaded = true;
      idle.wait(options.idleMs, openRequests);
      loading.resolve(engine);
    },
    async (thrown: unknown) => {
      loading.reject(thrown);
      console.error(thrown);
      await sleep(FAILED_MS);
      // The next request starts another process, in which the cause may be gone.
      await rm(options.socket, { force: true });
      server.close(() => process.exit(1));
      // A client that asks nothing does not keep the process.
      setTimeout(() => process.exit(1), CLOSING_MS);
    },
  );
} else process.exit(0);

/**
 * Stores what the model has read, and ends. The socket is there until then, so that the next process starts after it.
 * A signal also ends the requests. While the model is loaded there is nothing to store, and the library may never
 * return.
 */
async function end(reason: 'idle' | 'signal'): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  if (reason === 'signal') server.closeAllConnections();
  if (!isLoaded) {
    await rm(options.socket, { force: true });
    // An exit would wait for the threads that load.
    process.kill(process.pid, 'SIGKILL');
  }
  await loading.promise.then((engine) => engine.save());
  if (reason === 'idle' && openRequests > 0) {
    isEnding = false;
    return;
  }
  await rm(options.socket, { force: true });
  process.exit(0);
}
