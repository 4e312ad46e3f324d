import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Ask, askAt } from './ask.ts';

export interface Peer {
  pid: number;
  ask: Ask;
  close(): Promise<void>;
}

/** Starts llama.cpp's own server with the model. Undefined unless `LONGHAUL_LLAMA_SERVER` names the program. */
export async function startLlamaServer(
  model: string,
  { windowTokens, threads }: { windowTokens: number; threads: number },
): Promise<Peer | undefined> {
  const [program = ''] = (process.env['LONGHAUL_LLAMA_SERVER'] ?? '').split(',');
  if (program === '') return undefined;
  const options = ['--port', '0', '-c', String(windowTokens), '--parallel', '1', '-t', String(threads)];
  const child = spawn(program, ['-m', model, '--jinja', ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  const origin = await addressOf(child);
  return {
    pid: child.pid ?? 0,
    ask: askAt(origin, globalThis.fetch),
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The server logs its address when the model is loaded. */
async function addressOf(child: ChildProcess): Promise<string> {
  let log = '';
  for await (const text of child.stderr ?? []) {
    log += text;
    const [, address] = /listening on (http:\/\/[\w.:]+)/.exec(log) ?? [];
    if (address === undefined) continue;
    // Nobody reads the rest, and a full pipe would stop the server.
    child.stderr?.resume();
    return address;
  }
  throw new Error(`llama-server ended: ${log.slice(-2_000)}`);
}
