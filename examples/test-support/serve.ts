import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer, type Script, type ScriptedModelServer } from '@longhaul/scripted-model';

const BIN = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));

export interface ServeOptions {
  script: Script;
  /** Lines of `approvals` in the configuration, as YAML. */
  approvals?: string;
  /** An origin whose pages may use the server. */
  origin?: string;
  /** Milliseconds between pieces of an answer. */
  pieceMs?: number;
}

/** The real `longhaul serve`, with a scripted model and a temporary folder. */
export class Served implements AsyncDisposable {
  readonly baseUrl: string;
  readonly token: string;
  readonly folder: string;
  readonly model: ScriptedModelServer;
  readonly #child: ChildProcess;

  private constructor(parts: {
    baseUrl: string;
    token: string;
    folder: string;
    model: ScriptedModelServer;
    child: ChildProcess;
  }) {
    this.baseUrl = parts.baseUrl;
    this.token = parts.token;
    this.folder = parts.folder;
    this.model = parts.model;
    this.#child = parts.child;
  }

  static async start(options: ServeOptions): Promise<Served> {
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-served-'));
    const model = await createScriptedModelServer({ windowTokens: 32_000, script: options.script });
    await writeFile(join(folder, 'longhaul.yml'), configOf(model.url, options));
    const child = spawn(
      process.execPath,
      ['--conditions=longhaul-src', BIN, 'serve', '--trust', '--json', '--port', '0', '--log-level', 'warn'],
      { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), endOf(child)]);
    const { url, tokenFile } = JSON.parse(String(line));
    const token = (await readFile(tokenFile, 'utf8')).trim();
    return new Served({ baseUrl: url, token, folder, model, child });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stop(this.#child);
    await this.model.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Rejects when the server exits, so a test does not wait forever for its output. */
async function endOf(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`longhaul serve exited (${code ?? signal}) before it printed its address.`);
}

/** Stops the server. Throws if it does not stop, so this defect does not look like a test that hangs. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  const [, signal] = await ended;
  clearTimeout(timer);
  if (signal === 'SIGKILL') throw new Error(`longhaul serve did not stop within ${STOP_MS} ms of SIGTERM.`);
}

const STOP_MS = 60_000;

function configOf(
  modelUrl: string,
  { approvals = '[{ tool: "*", action: allow }]', origin }: ServeOptions,
): string {
  return `model: local/scripted
providers:
  local: { kind: openai-compatible, baseUrl: "${modelUrl}", accepts: { images: true }, models: { scripted: { window: 32000 } } }
sandbox: { driver: local }
approvals: ${approvals}
server: { host: 127.0.0.1, stopGraceMs: 100${origin === undefined ? '' : `, origins: ["${origin}"]`} }
`;
}
