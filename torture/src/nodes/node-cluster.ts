import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { type PostgresServer, startPostgres } from '@longhaul/testing/machine';
import { ARM_SIGNAL, faultEnvironment, type NodeFault } from './node-faults.ts';
import { scriptFor } from './node-script.ts';

const BIN = fileURLToPath(new URL('../../../packages/cli/bin/longhaul.js', import.meta.url));
const ARMED = new URL('./armed-node.ts', import.meta.url).href;

const MAX_ERRORS = 4_000;

/** A server of the cluster. */
export interface ClusterNode {
  readonly process: ChildProcess;
  readonly url: string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  /** The end of what it has written to standard error. */
  errors(): string;
}

/** Servers of a cluster on this machine, with their database and model. */
export interface NodeCluster extends AsyncDisposable {
  readonly database: PostgresServer;
  /** The file that gets a line from each call. */
  readonly effects: string;
  /** Starts a server. Undefined: it ended before it listened, for example because the database was down. */
  start(fault?: NodeFault): Promise<ClusterNode | undefined>;
}

export async function startNodeCluster(folder: string): Promise<NodeCluster> {
  const database = await startPostgres({ isDurable: true, settings: { max_connections: '120' } });
  const effects = join(folder, 'effects');
  await writeFile(effects, '');
  const model = await createScriptedModelServer({ script: scriptFor(effects), windowTokens: 64_000 });
  const [home, workspace] = [join(folder, 'home'), join(folder, 'work')];
  const configuration = join(home, '.config', 'longhaul');
  await mkdir(configuration, { recursive: true });
  await mkdir(workspace, { recursive: true });
  const settings = {
    model: 'openai-compatible/scripted',
    providers: { 'openai-compatible': { baseUrl: model.url } },
    storage: { url: database.url },
    sandbox: { driver: 'local' },
    approvals: [{ tool: '*', action: 'allow' }],
    cluster: { secret: 'the secret of this torture' },
    server: { maxRuns: 4 },
  };
  await writeFile(join(configuration, 'longhaul.yml'), JSON.stringify(settings));
  const running = new Set<ChildProcess>();
  return {
    database,
    effects,
    async start(fault) {
      const child = spawn(
        process.execPath,
        [
          ...FROM_SOURCE,
          ...(fault === undefined ? [] : ['--import', ARMED]),
          BIN,
          'serve',
          '--port',
          '0',
          '--no-token',
          '--json',
          '--resume',
          '--log-level',
          'silent',
        ],
        {
          cwd: workspace,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            PATH: process.env['PATH'],
            HOME: home,
            NODE_COMPILE_CACHE: join(folder, 'compiled'),
            ...faultEnvironment(fault),
          },
        },
      );
      running.add(child);
      let errors = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        errors = `${errors}${text}`.slice(-MAX_ERRORS);
      });
      const ended = once(child, 'exit').then(() => running.delete(child));
      const url = await Promise.race([listening(child), ended.then(() => undefined)]);
      if (url === undefined) return undefined;
      if (fault !== undefined) child.kill(ARM_SIGNAL);
      return { process: child, url, ended, errors: () => errors };
    },
    async [Symbol.asyncDispose]() {
      const exits = [...running].map((child) => once(child, 'exit'));
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(exits);
      await model.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function listening({ stdout }: ChildProcess): Promise<string | undefined> {
  let output = '';
  for await (const text of stdout?.setEncoding('utf8') ?? []) {
    output += text;
    const line = output.split('\n').find((each) => each.includes('"listening"'));
    if (line === undefined) continue;
    stdout?.resume();
    return (JSON.parse(line) as { url: string }).url;
  }
  return undefined;
}
