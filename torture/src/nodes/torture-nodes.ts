import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, Session } from '@longhaul/protocol';
import { seededRandom } from '@longhaul/scripted-model';
import type { Defect, DefectKind } from '../checks/defect.ts';
import { checkEffects, checkNodes } from './check-nodes.ts';
import { startNodeCluster } from './node-cluster.ts';
import { NodeReader } from './node-reader.ts';
import { CALL } from './node-script.ts';
import { NodeSlots } from './node-slots.ts';
import { takeOverTimes } from './take-overs.ts';

export interface NodesOptions {
  nodes: number;
  kills: number;
  seed: number;
  sessions: number;
  onEvent?: (line: string) => void;
}

export interface NodesResult {
  kills: number;
  defects: readonly Defect[];
  /** Tasks that were accepted, and effects that calls had. */
  tasks: number;
  effects: number;
  /** Different fault points at which servers were killed, and at which they were suspended. */
  faultPoints: number;
  /** How long sessions waited for another server. */
  takeOverMs: Awaited<ReturnType<typeof takeOverTimes>>;
  completed: boolean;
}

/** Drives sessions on servers of a cluster that are killed, stopped and suspended, while their database is killed. */
export async function tortureNodes(options: NodesOptions): Promise<NodesResult> {
  const { nodes, seed, sessions, onEvent = () => {} } = options;
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-nodes-'));
  await using cluster = await startNodeCluster(folder);
  let kills = 0;
  const takeKill = () => {
    if (kills >= options.kills) return false;
    kills += 1;
    return true;
  };
  const parts = {
    cluster,
    random: seededRandom(seed),
    takeKill,
    hasKill: () => kills < options.kills,
    onEvent: (line: string) => onEvent(`${kills}  ${line}`),
  };
  const slots = new NodeSlots(parts);
  const working = Array.from({ length: nodes }, () => slots.work());
  const over = new AbortController();
  const reading = new AbortController();
  const clients = Array.from({ length: sessions }, () => new Client(slots, reading.signal));
  const sending = clients.map((client) => client.work(over.signal));
  await Promise.all(working);
  over.abort();
  await Promise.all(sending);
  const completed = (await Promise.all(clients.map((client) => client.settle()))).every(Boolean);
  const effects = (await readFile(cluster.effects, 'utf8')).match(CALL) ?? [];
  const logs = await Promise.all(clients.map((client) => client.messages()));
  const defects = clients.flatMap((client, index) =>
    checkNodes({ ...client.records, messages: logs[index] ?? [], effects }),
  );
  reading.abort();
  const takeOverMs = await takeOverTimes(cluster.database, slots.strikes);
  const tasks = clients.reduce((sum, { records }) => sum + records.tasks.length, 0);
  await rm(folder, { recursive: true, force: true });
  return {
    kills,
    defects: [...defects, ...slots.defects, ...checkEffects(effects, logs.flat())],
    tasks,
    effects: effects.length,
    faultPoints: slots.struckCount,
    takeOverMs,
    completed,
  };
}

/** The last line of `--json`. */
export function nodesSummary({
  kills,
  defects,
  tasks,
  effects,
  faultPoints,
  takeOverMs,
  completed,
}: NodesResult) {
  const count = (kind: DefectKind) => defects.filter((each) => each.kind === kind).length;
  return {
    kills,
    lostMessages: count('lost-message'),
    duplicateMessages: count('duplicate-message'),
    orphanCalls: count('orphan-call'),
    repeatedSideEffects: count('repeated-side-effect'),
    corruptions: count('corruption'),
    tasks,
    effects,
    faultPoints,
    takeOverMs,
    completed,
  };
}

/** Sessions are done at the latest after this time without kills. */
const SETTLE_MS = 180_000;

/** Sends tasks to a session, each to any server and until one accepts it, and reads its events. */
class Client {
  readonly #slots: NodeSlots;
  readonly #readingUntil: AbortSignal;
  readonly #tasks: string[] = [];
  #reader: NodeReader | undefined;
  #id = '';

  constructor(slots: NodeSlots, readingUntil: AbortSignal) {
    this.#slots = slots;
    this.#readingUntil = readingUntil;
  }

  get records() {
    return { sessionId: this.#id, tasks: this.#tasks, received: this.#reader?.events ?? [] };
  }

  async work(signal: AbortSignal): Promise<void> {
    this.#id = (await this.#untilDone<Session>('POST', '/api/sessions', {})).id;
    this.#reader = new NodeReader(this.#slots, this.#id);
    void this.#reader.read(this.#readingUntil);
    while (!signal.aborted) {
      const task = `task-${this.#tasks.length + 1}`;
      await this.#untilDone('POST', `/api/sessions/${this.#id}/messages`, { content: task, id: task });
      this.#tasks.push(task);
      await sleep(500 + Math.random() * 1_500);
    }
  }

  /** Waits until the session has done everything. Returns whether it has. */
  async settle(): Promise<boolean> {
    const until = performance.now() + SETTLE_MS;
    while (performance.now() < until) {
      const { state, queued, lastEvent } = await this.#untilDone<{
        state: string;
        queued: number;
        lastEvent: number;
      }>('GET', `/api/sessions/${this.#id}`);
      const isRead = this.#reader?.events.at(-1)?.number === lastEvent;
      if (state === 'completed' && queued === 0 && isRead) return true;
      await sleep(500);
    }
    return false;
  }

  async messages(): Promise<Message[]> {
    const all: Message[] = [];
    for (;;) {
      const after = all.at(-1)?.sequence ?? 0;
      const path = `/api/sessions/${this.#id}/messages?after=${after}&limit=200`;
      const { messages } = await this.#untilDone<{ messages: Message[] }>('GET', path);
      if (messages.length === 0) return all;
      all.push(...messages);
    }
  }

  /** Repeats a request at any server until one has answered. */
  async #untilDone<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    for (;;) {
      const answer = await this.#once(method, path, body);
      if (answer !== undefined) return answer as Answer;
      await sleep(200);
    }
  }

  async #once(method: string, path: string, body: object | undefined): Promise<unknown> {
    const node = this.#slots.any();
    if (node === undefined) return undefined;
    try {
      const response = await fetch(`${node.url}${path}`, {
        method,
        signal: AbortSignal.timeout(10_000),
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
      if (response.ok) return await response.json();
      if (response.status < 500 && response.status !== 409 && response.status !== 429)
        throw new Refused(`${method} ${path}: ${response.status} ${await response.text()}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The server was killed. The next one gets the same request.
    }
    return undefined;
  }
}

class Refused extends Error {}
