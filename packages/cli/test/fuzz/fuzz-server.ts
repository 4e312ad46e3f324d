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
  /** Ids of all sessions. */
  sessions(): Promise<string[]>;
  /** Cancels the run of a session and clears its queue. Returns false if there is no answer in time. */
  cancel(sessionId: string, withinMs: number): Promise<boolean>;
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>;
  /** Lines of standard error that report an error, or that are not part of the log. */
  errors(): string[];
}

interface SessionPage {
  sessions: { id: string }[];
  next?: string;
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
  const call: FuzzServer['call'] = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const response = await fetchPath(path, { method, ...json });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    url,
    workspace: bench.workspace,
    fetch: fetchPath,
    call,
    async sessions() {
      const ids: string[] = [];
      for (let query = ''; ; ) {
        const page = await call<SessionPage>('GET', `/api/sessions?limit=100${query}`);
        ids.push(...page.sessions.map(({ id }) => id));
        if (page.next === undefined) return ids;
        query = `&before=${page.next}`;
      }
    },
    cancel: (sessionId, withinMs) =>
      fetchPath(`/api/sessions/${sessionId}/cancel`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"clearQueue":true}',
        signal: AbortSignal.timeout(withinMs),
      }).then(
        ({ status }) => status < 500,
        () => false,
      ),
    async metric(name) {
      const text = await fetchPath('/metrics').then((response) => response.text());
      const values = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'gm'));
      return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
    },
    errors: () => (isError(rest) ? [...errors, rest] : errors),
    async [Symbol.asyncDispose]() {
      running.child.kill('SIGTERM');
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
