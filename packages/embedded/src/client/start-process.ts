import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LonghaulError } from '@longhaul/protocol';
import type { ModelProcessOptions } from '../process/model-process.ts';
import { ownFolder } from './socket-place.ts';

const RETRY_MS = 20;

/**
 * Starts the process of a model, and resolves when it listens. It outlives this one, and serves all sessions of this
 * user. If two are started at once, one of them ends.
 *
 * @throws {LonghaulError} `provider_unreachable` with what the process printed, if it ends before it listens.
 */
export async function startModelProcess(options: ModelProcessOptions): Promise<void> {
  const log = join(options.folder, 'logs', `${options.id}.log`);
  await ownFolder(dirname(log));
  for (;;) {
    const ended = await spawnProcess(options, log);
    for (let end: Ended | undefined; ; ) {
      if (await isAnswered(options.socket)) return;
      // It found another process, which has ended since.
      if (end === 0) break;
      if (end !== undefined) throw notStarted(end, await readFile(log, 'utf8'), log);
      end = await Promise.race([ended(), sleep(RETRY_MS, undefined)]);
    }
  }
}

/** The exit code, or what ended it. */
type Ended = number | string;

async function spawnProcess(options: ModelProcessOptions, log: string): Promise<() => Promise<Ended>> {
  const file = await open(log, 'w', 0o600);
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(`../process/model-process.${isSource ? 'ts' : 'js'}`, import.meta.url);
  const condition = isSource ? ['--conditions=longhaul-src'] : [];
  const child = spawn(process.execPath, [...condition, fileURLToPath(entry), JSON.stringify(options)], {
    detached: true,
    cwd: options.folder,
    env: passedEnvironment(),
    windowsHide: true,
    stdio: [options.endsWithClient ? 'pipe' : 'ignore', 'ignore', file.fd],
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (cause) => resolve(cause.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? ''));
  });
  child.unref();
  unrefPipe(child.stdin);
  await file.close();
  return () => ended;
}

/** The open pipe does not keep this program. Its end is what the process waits for. */
function unrefPipe(pipe: Writable | null): void {
  // A process that has ended breaks its pipe.
  pipe?.on('error', () => {});
  if (pipe instanceof Socket) pipe.unref();
}

/** Nothing that a model needs is secret, so the process gets no keys. */
const PASSED =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TEMP|TMP|SystemRoot|USERPROFILE|LD_LIBRARY_PATH|DYLD_\w+|CUDA_\w+|GGML_\w+|HIP_\w+|ROCR_\w+|VK_\w+|XDG_\w+|NODE_COMPILE_CACHE)$/;

function passedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
}

function isAnswered(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket);
  connection.once('connect', () => {
    connection.destroy();
    resolve(true);
  });
  connection.once('error', () => resolve(false));
  return promise;
}

function notStarted(end: Ended, printed: string, log: string): LonghaulError {
  const said = printed.trim().slice(-1_000);
  return new LonghaulError(
    'provider_unreachable',
    `The process of the embedded model did not start (it ended with ${end}).${said === '' ? '' : ` It printed: ${said}`} Its output is in ${log}.`,
  );
}
