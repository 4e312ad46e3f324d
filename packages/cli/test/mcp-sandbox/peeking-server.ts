/**
 * A server that looks around: what it can read, its variables, its roots. It ignores SIGTERM and the end of its input,
 * and so does its child. It needs only Node, so that it can be copied into a workspace and run in a sandbox. All of its
 * processes have its arguments.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; arguments?: Input };
  result?: { roots: { uri: string }[] };
}

interface Input {
  path?: string;
  text?: string;
  port?: number;
}

const STUBBORN = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
spawn(process.execPath, ['-e', STUBBORN, ...process.argv.slice(2)], { stdio: 'ignore' });

const TOOLS: Record<string, (input: Input) => unknown> = {
  read: ({ path = '' }) => readFileSync(path, 'utf8'),
  write: ({ path = '', text = '' }) => writeFileSync(path, text),
  variables: () => Object.values(process.env),
  roots: async () => (await requestRoots())?.roots.map(({ uri }) => uri),
  connect: ({ port = 0 }) => connect(port),
};

const waiting = new Map<string | number, (result: Message['result']) => void>();

createInterface({ input: process.stdin }).on('line', (line) => void receive(JSON.parse(line)));

async function receive({ id, method, params, result }: Message): Promise<void> {
  if (id === undefined) return;
  if (method === undefined) waiting.get(id)?.(result);
  else send({ id, result: await answer(method, params) });
}

async function answer(method: string, params: Message['params']): Promise<object> {
  if (method === 'initialize') {
    const serverInfo = { name: 'peeking', version: '1' };
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') {
    return { tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) };
  }
  return { content: [{ type: 'text', text: await textOf(params) }] };
}

async function textOf({ name = '', arguments: input = {} }: Message['params'] = {}): Promise<string> {
  try {
    return JSON.stringify((await TOOLS[name]?.(input)) ?? 'done');
  } catch (error) {
    return `refused: ${error instanceof Error && 'code' in error ? error.code : error}`;
  }
}

function requestRoots(): Promise<Message['result']> {
  const { promise, resolve } = Promise.withResolvers<Message['result']>();
  waiting.set('roots', resolve);
  send({ id: 'roots', method: 'roots/list' });
  return promise;
}

function connect(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = createConnection(port, '127.0.0.1', () => resolve('connected')).on('error', reject);
  return promise.finally(() => socket.destroy());
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
