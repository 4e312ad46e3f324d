import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastUserText, type Script } from '@longhaul/scripted-model';
import { Bench } from '../harness.ts';

/** The model of all sessions. */
export const MODEL = 'openai-compatible/scripted';

export interface FuzzServer extends AsyncDisposable {
  readonly url: string;
  readonly workspace: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends JSON and reads JSON. Throws if the status is not 2xx. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Lines of standard error that report an error, or that are not part of the log. */
  errors(): string[];
}

/** Answers by the first word of the newest message: with text, a call that needs approval, a failure or slowly. */
const SCRIPT: Script = async ({ messages, number, asksForSummary }) => {
  const text = lastUserText(messages);
  if (asksForSummary) return 'The user and the agent said things.';
  if (messages.at(-1)?.role === 'tool') return 'done '.repeat(20);
  if (text.startsWith('fail')) throw new Error('The model refuses this request.');
  if (text.startsWith('call')) {
    // Each call has another command, so that an answer for later calls does not allow it.
    const command = `echo published ${number}; seq 1 200`;
    return { toolCalls: [{ name: 'bash', arguments: { command } }] };
  }
  if (text.startsWith('slow')) await sleep(100);
  return 'done '.repeat(20);
};

const configOf = (baseUrl: string) => `model: ${MODEL}
providers: { openai-compatible: { baseUrl: "${baseUrl}" } }
sandbox: { driver: local }
approvals: [{ tool: "*", action: ask }]
retry: { attempts: 1, totalMs: 1000 }
server: { requestsPerSecond: null, maxBodyBytes: 100000, maxUploadBytes: 200000 }
`;

/** Starts a real `longhaul serve` in its own process, with a model whose runs call tools, wait for approval, and fail. */
export async function startFuzzServer(): Promise<FuzzServer> {
  const bench = await Bench.open();
  const { server } = await bench.serve({ script: SCRIPT, keepBodies: false, windowTokens: 128_000 });
  await writeFile(bench.userFile, configOf(server.url));
  const running = bench.start(['serve', '--port', '0', '--json']);
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const errors: string[] = [];
  let rest = '';
  running.child.stderr?.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    errors.push(...lines.filter(isError));
  });

  const fetchPath: FuzzServer['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(url + path, { ...init, headers });
  };
  return {
    url,
    workspace: bench.workspace,
    fetch: fetchPath,
    async call(method, path, body) {
      const headers = { 'content-type': 'application/json' };
      const json = body === undefined ? {} : { body: JSON.stringify(body), headers };
      const response = await fetchPath(path, { method, ...json });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text);
    },
    errors: () => (isError(rest) ? [...errors, rest] : errors),
    async [Symbol.asyncDispose]() {
      running.child.kill('SIGTERM');
      running.child.kill('SIGINT');
      await running.ended;
      await bench[Symbol.asyncDispose]();
    },
  };
}

/** pino's level of errors. */
const ERROR_LEVEL = 50;

function isError(line: string): boolean {
  if (line.trim() === '') return false;
  try {
    return JSON.parse(line).level >= ERROR_LEVEL;
  } catch {
    // A warning of the process or a stack, past the log.
    return true;
  }
}
