import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LonghaulEvent } from '@longhaul/protocol';
import {
  createScriptedModelServer,
  type ScriptedModelServer,
  type ScriptedModelServerOptions,
} from '@longhaul/scripted-model';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { main } from '../src/main.ts';
import { processTerminal } from '../src/terminal.ts';

const BIN = fileURLToPath(new URL('../bin/longhaul.js', import.meta.url));
/** The program that runs the command: this Node.js, or the Bun that `bun-runtime.ts` has found. */
const RUNTIME = process.env['LONGHAUL_TEST_RUNTIME'] ?? process.execPath;
/**
 * Whether the tests run the bundle, which starts in half of the processor time. `.ci/run` sets the variable, since it has
 * just made the bundle. Without it, tests can never run an old one.
 */
const RUNS_BUNDLE = process.env['LONGHAUL_TEST_BUNDLE'] !== undefined;
/** That of all tests. With a folder per test, every command would compile the whole source again. */
const COMPILE_CACHE = process.env['NODE_COMPILE_CACHE'] ?? '';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Standard output so far. */
  output(): string;
  /** Resolves when standard output holds the text. */
  saw(text: string): Promise<void>;
  /** Resolves when standard error holds the text. */
  warned(text: string): Promise<void>;
}

export interface CommandOptions {
  input?: string | Uint8Array;
  env?: Record<string, string>;
  /** A file that standard output goes to. */
  stdoutTo?: string;
  uid?: number;
  /** What bash runs before it becomes the command, such as a redirection. */
  before?: string;
  /** Another Node than this one. */
  node?: string;
  /** Runs the sources even where the other tests run the bundle. */
  fromSource?: boolean;
  /** In a terminal of its own (by `script`): what is typed is written to the child's standard input. */
  terminal?: boolean;
  /** Standard input stays open: what is written to the child's standard input is read. */
  keepsInput?: boolean;
  /** Leads a process group of its own, as a command of a terminal does. */
  detached?: boolean;
}

/** A home, a workspace and a database of their own; the real command, run from source. */
export class Bench implements AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  /** The user's own `longhaul.yml`. Its folder exists. */
  readonly userFile: string;
  readonly #servers: ScriptedModelServer[] = [];
  readonly #started: Running[] = [];
  readonly #begun: (() => Promise<Ended>)[] = [];

  private constructor(root: string) {
    this.root = root;
    this.home = join(root, 'home');
    this.workspace = join(root, 'work space');
    this.userFile = join(this.home, '.config', 'longhaul', 'longhaul.yml');
  }

  static async open(): Promise<Bench> {
    const bench = new Bench(await mkdtemp(join(tmpdir(), 'longhaul-cli-')));
    await mkdir(dirname(bench.userFile), { recursive: true });
    await mkdir(bench.workspace);
    return bench;
  }

  /** A scripted model, and the flags that name it. */
  async serve(
    options: ScriptedModelServerOptions,
  ): Promise<{ server: ScriptedModelServer; flags: string[] }> {
    const server = await createScriptedModelServer({ windowTokens: 16_000, ...options });
    this.#servers.push(server);
    return { server, flags: ['--model', 'openai-compatible/scripted', '--base-url', server.url] };
  }

  start(
    args: readonly string[],
    {
      input,
      env = {},
      stdoutTo,
      uid,
      before,
      node = RUNTIME,
      fromSource = !RUNS_BUNDLE,
      detached = false,
      terminal = false,
      keepsInput = terminal,
    }: CommandOptions = {},
  ): Running {
    const command = commandOf(args, node, fromSource);
    const redirected = stdoutTo === undefined ? '' : ` > '${stdoutTo}'`;
    const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const program = terminal
      ? ['script', '-qefc', line, '/dev/null']
      : before === undefined
        ? ['/bin/sh', '-c', `exec "$0" "$@"${redirected}`, ...command]
        : ['bash', '-c', `${before}; exec "$0" "$@"${redirected}`, ...command];
    const [name = '', ...rest] = program;
    const child = spawn(name, rest, {
      cwd: this.workspace,
      env: this.#env(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached,
      uid,
    });
    let stdout = '';
    let stderr = '';
    const seen = new EventTarget();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      seen.dispatchEvent(new Event('data'));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      seen.dispatchEvent(new Event('data'));
    });
    // A command that does not read its input may be gone before it is written.
    child.stdin.on('error', () => {});
    if (!keepsInput) child.stdin.end(input);
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    const holds = (text: string, output: () => string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => output().includes(text) && resolve();
        seen.addEventListener('data', look);
        ended.then(
          (end) => reject(new Error(`It ended without "${text}": ${end.stdout}\n${end.stderr}`)),
          reject,
        );
        look();
      });
    const running = {
      child,
      ended,
      saw: (text: string) => holds(text, () => stdout),
      output: () => stdout,
      warned: (text: string) => holds(text, () => stderr),
    };
    this.#started.push(running);
    return running;
  }

  /** What another program starts, such as a terminal. */
  invocation(args: readonly string[], env: Record<string, string> = {}) {
    return { command: commandOf(args, RUNTIME, !RUNS_BUNDLE), environment: this.#env(env) };
  }

  run(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /**
   * The command in this process: a fifth of the time, where no process, signal or input is what is looked at. With
   * `terminal`, its output counts as a terminal.
   */
  call(args: readonly string[], options: Pick<CommandOptions, 'env' | 'terminal'> = {}): Promise<Ended> {
    return this.#inProcess(args, options).ended;
  }

  /** A server in this process. */
  async begin(
    args: readonly string[],
    options: Pick<CommandOptions, 'env'> = {},
  ): Promise<{ firstLine: string; stop: () => Promise<Ended> }> {
    const { out, ended } = this.#inProcess(args, options);
    const stop = async () => {
      process.emit('SIGHUP');
      return await ended;
    };
    this.#begun.push(stop);
    const [firstLine] = await Promise.race([
      once(out, 'data'),
      ended.then(({ stderr }) => Promise.reject(new Error(`It ended: ${stderr}`))),
    ]);
    return { firstLine, stop };
  }

  #inProcess(
    args: readonly string[],
    { env = {}, terminal: isTTY }: Pick<CommandOptions, 'env' | 'terminal'>,
  ): { out: PassThrough; ended: Promise<Ended> } {
    const out = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY });
    const err = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY });
    const output = Promise.all([text(out), text(err)]);
    const { input } = processTerminal();
    const work = async (): Promise<Ended> => {
      const code = await main(args, { out, err, input, env: this.#env(env), cwd: this.workspace });
      out.end();
      err.end();
      const [stdout, stderr] = await output;
      return { code, signal: null, stdout, stderr };
    };
    return { out, ended: work() };
  }

  #env(more: Record<string, string>): Record<string, string> {
    const own = {
      HOME: this.home,
      TMPDIR: this.root,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: COMPILE_CACHE,
    };
    return { PATH: process.env['PATH'] ?? '', ...own, ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      // Only of a test that failed: what still runs would write on into the folder.
      for (const { child, ended } of this.#started)
        if (child.exitCode === null && child.kill('SIGKILL')) await ended;
      for (const stop of this.#begun) await stop();
      for (const server of this.#servers) await server.close();
    } finally {
      await rm(this.root, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Bun runs the bundle, since it takes seconds to read the sources. */
function commandOf(args: readonly string[], node: string, fromSource: boolean): string[] {
  const isBun = node === process.env['LONGHAUL_TEST_RUNTIME'];
  return [node, ...(fromSource && !isBun ? FROM_SOURCE : []), BIN, ...args];
}

export function eventsOf({ stdout }: Ended): LonghaulEvent[] {
  return linesOf(stdout).map((line): LonghaulEvent => JSON.parse(line));
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
