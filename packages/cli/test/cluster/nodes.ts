import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { ScriptedModelServerOptions } from '@longhaul/scripted-model';
import { type PostgresServer, type PostgresServerOptions, startPostgres } from '@longhaul/testing/machine';
import { Bench, type CommandOptions, type Running } from '../harness.ts';

/** A server of a cluster. */
export interface Node {
  readonly url: string;
  readonly running: Running;
  call<Answer>(method: string, path: string, body?: object): Promise<Answer>;
}

export interface Nodes extends AsyncDisposable {
  readonly bench: Bench;
  readonly database: PostgresServer;
  readonly nodes: readonly Node[];
  /** Starts another one. */
  add(args?: readonly string[], options?: CommandOptions): Promise<Node>;
  newSession(node: Node): Promise<string>;
  send(node: Node, sessionId: string, content: string): Promise<{ queued: boolean; runId?: string }>;
  /** Reads the events of a session from a node, until the session is done. An interrupted run is continued. */
  read(node: Node, sessionId: string, after?: number): Promise<LonghaulEvent[]>;
  /** Process of the node that drives the session. Undefined: none does. */
  ownerOf(sessionId: string): Promise<number | undefined>;
  /** The numbers that calls of `step` have written to a file. */
  steps(file: string): Promise<string[]>;
}

/** A call that adds a number to a file, and takes a while. */
export function step(file: string, number: number) {
  const command = `echo ${number} >>${file}.steps; sleep 0.3`;
  return { toolCalls: [{ name: 'bash', arguments: { command } }] };
}

/** No call needs approval. */
const ALLOW = 'approvals: [{ tool: "*", action: allow }]\n';

/** Starts servers with one database, on one machine. */
export async function startNodes(
  count: number,
  model: ScriptedModelServerOptions,
  {
    config = ALLOW,
    args = [],
    env = {},
    database: databaseOptions = {},
  }: {
    config?: string;
    args?: readonly string[];
    env?: Record<string, string>;
    database?: PostgresServerOptions;
  } = {},
): Promise<Nodes> {
  const database = await startPostgres(databaseOptions);
  const bench = await Bench.open();
  const { server } = await bench.serve(model);
  await appendFile(
    bench.userFile,
    `model: openai-compatible/scripted
providers: { openai-compatible: { baseUrl: "${server.url}" } }
storage: { url: "$LONGHAUL_TEST_DATABASE" }
sandbox: { driver: local }
${config}`,
  );
  const nodes: Node[] = [];
  const add = async (more: readonly string[] = args, options: CommandOptions = { env }) => {
    const running = bench.start(['serve', '--port', '0', '--no-token', '--json', ...more], {
      ...options,
      env: { LONGHAUL_TEST_DATABASE: database.url, ...options.env },
    });
    await running.saw('"listening"');
    const { url } = JSON.parse(running.output()) as { url: string };
    const node = { url, running, call: caller(url, running) };
    nodes.push(node);
    return node;
  };
  // One after the other: the first creates the tables.
  for (let number = 0; number < count; number += 1) await add();
  return {
    bench,
    database,
    nodes,
    add,
    async newSession(node) {
      return (await node.call<{ id: string }>('POST', '/api/sessions', {})).id;
    },
    send: (node, id, content) => node.call('POST', `/api/sessions/${id}/messages`, { content }),
    read: (node, id, after = 0) => readUntilDone(`${node.url}/api/sessions/${id}/events?after=${after}`),
    async ownerOf(id) {
      const pid = await database.query(
        `SELECT pid FROM longhaul.runs JOIN longhaul.heads USING (run_id) WHERE heads.session_id = '${id}'`,
      );
      return pid === '' ? undefined : Number(pid);
    },
    async steps(file) {
      const text = await readFile(join(bench.workspace, `${file}.steps`), 'utf8').catch(() => '');
      return text.trim().split('\n').filter(Boolean);
    },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

function caller(url: string, running: Running): Node['call'] {
  return async <Answer>(method: string, path: string, body?: object) => {
    const response = await fetchFrom(running, `${url}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
}

/** A server that has ended by itself says why. */
async function fetchFrom({ child, ended }: Running, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (child.exitCode === null && child.signalCode === null) throw error;
    const { code, signal, stderr } = await ended;
    throw new Error(`The server has ended (${signal ?? code}):\n${stderr.slice(-4_000)}`, { cause: error });
  }
}

async function readUntilDone(url: string): Promise<LonghaulEvent[]> {
  const events: LonghaulEvent[] = [];
  const response = await fetch(url);
  let rest = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${rest}${piece}`.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: ?(.*)$/m.exec(frame)?.[1];
      if (data !== undefined && data !== '') events.push(JSON.parse(data) as LonghaulEvent);
      const last = events.at(-1);
      if (last?.type === 'run:finished' && last.status !== 'interrupted') return events;
    }
  }
  throw new Error('The stream ended before the session was done.');
}
