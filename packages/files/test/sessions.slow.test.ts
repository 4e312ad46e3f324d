import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { handleOf } from '@longhaul/protocol';
import { openSqliteStore } from '@longhaul/storage';
import { createMemoryStore } from '@longhaul/storage/memory';
import type { PlayedStep, TestRun } from '@longhaul/testing/doubles';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileTrees } from '../src/index.ts';
import { apply, type Edit, edits } from './random-edits.ts';
import { KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

type Snapshot = ReturnType<typeof snapshot>;

/** What is done to a session. Numbers choose a message of the log. */
type Action =
  | { kind: 'turn'; byOthers: Edit[]; steps: Edit[][] }
  | { kind: 'revert'; byOthers: Edit[]; message: number; only: 'files' | 'conversation' | undefined }
  | { kind: 'unrevert'; byOthers: Edit[] }
  | { kind: 'compact' }
  | { kind: 'fork'; message: number };

const few = edits.map((list) => list.slice(0, 6));
const othersEdits = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Edit[]>([]) },
  { weight: 1, arbitrary: few },
);
const message = fc.nat(1_000);
const turn = fc.record({
  kind: fc.constant('turn' as const),
  byOthers: othersEdits,
  steps: fc.array(few, { minLength: 1, maxLength: 3 }),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: turn },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('revert' as const),
      byOthers: othersEdits,
      message,
      only: fc.constantFrom(undefined, undefined, 'files' as const, 'conversation' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unrevert' as const), byOthers: othersEdits }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), message }) },
);

const NEVER_TOUCHED = /^(ignored|\.env|large\.bin)(\/|$)/;
const recorded = (folder: string) => snapshot(folder, { skip: (path) => NEVER_TOUCHED.test(path) });
const untouched = (folder: string) =>
  Object.entries(snapshot(folder)).filter(([path]) => NEVER_TOUCHED.test(path));

interface Undo {
  files: Snapshot | undefined;
  /** Undefined: the conversation did not move. */
  head: number | undefined;
}

/** A session with its real folder, and a naive model of both. */
class ModelledSession {
  readonly #place: Place;
  readonly #test: TestRun;
  readonly #sessionId: string;
  readonly #steps: PlayedStep[];
  /** By sequence of the message. */
  readonly #before = new Map<number, Snapshot>();
  readonly #after = new Map<number, Snapshot>();
  readonly #parents = new Map<number, number>();
  readonly #undos: Undo[] = [];
  #head = 0;
  #last = 0;
  #edits = 0;
  #forks = 0;

  private constructor(
    place: Place,
    { test, sessionId, steps }: { test: TestRun; sessionId: string; steps: PlayedStep[] },
  ) {
    this.#place = place;
    this.#test = test;
    this.#sessionId = sessionId;
    this.#steps = steps;
  }

  static async start(place: Place, store: Parameters<typeof testRun>[2]): Promise<ModelledSession> {
    const steps: PlayedStep[] = [];
    const driver = playedDriver([(request) => play(steps, request)]);
    const pending: (() => void)[] = [];
    const tool = testTool('edit', () => {
      pending.shift()?.();
      return text('done');
    });
    const fileTrees = createFileTrees({
      blobs: place.blobs,
      cacheFolder: join(place.path, 'cache'),
      key: KEY,
      settings: { ...SETTINGS, maxFileMb: 0.01 },
    });
    const test = await testRun(driver, [tool], { ...store, fileTrees, blobs: place.blobs });
    const { id } = await test.runtime.createSession({
      workspace: place.workspace,
      model: 'played/test',
      task: 'edit',
    });
    const session = new ModelledSession(place, { test, sessionId: id, steps });
    session.#work = pending;
    return session;
  }

  #work: (() => void)[] = [];

  async do(action: Action): Promise<void> {
    if ('byOthers' in action) this.#editByOthers(action.byOthers);
    const left = untouched(this.#place.workspace);
    if (action.kind === 'turn') await this.#turn(action.steps);
    else if (action.kind === 'revert') await this.#revert(action);
    else if (action.kind === 'unrevert') await this.#unrevert();
    else if (action.kind === 'compact') await this.#compact();
    else await this.#fork(action.message);
    expect(untouched(this.#place.workspace)).toEqual(left);
    await this.#checkPath();
  }

  #editByOthers(list: readonly Edit[]): void {
    if (list.length === 0) return;
    this.#edits += 1;
    for (const edit of list) apply(this.#place.workspace, edit);
    writeFileSync(join(this.#place.workspace, '.env'), `KEY=${this.#edits}`);
    writeFileSync(join(this.#place.workspace, 'ignored', 'file'), `${this.#edits}`);
    writeFileSync(join(this.#place.workspace, 'large.bin'), `${this.#edits}`.repeat(20_000));
  }

  async #turn(steps: readonly Edit[][]): Promise<void> {
    const { workspace } = this.#place;
    const states = [recorded(workspace)];
    for (const step of steps) {
      this.#work.push(() => {
        for (const edit of step) apply(workspace, edit);
        states.push(recorded(workspace));
      });
      this.#edits += 1;
      // A call that is repeated without a change is stopped.
      this.#steps.push(calls({ name: 'edit', input: { number: this.#edits } }));
    }
    this.#steps.push(answer('Done.'));
    await this.#test.runtime.run(this.#sessionId, { content: [{ type: 'text', text: 'go' }] });
    const { messages } = await this.#test.store.loadLog(this.#sessionId);
    let done = 0;
    for (const { sequence, parts } of messages.filter(({ sequence }) => sequence > this.#last)) {
      this.#parents.set(sequence, this.#head);
      this.#before.set(sequence, states[done] ?? {});
      if (parts.some(({ type }) => type === 'tool')) done += 1;
      this.#after.set(sequence, states[done] ?? {});
      this.#head = sequence;
      this.#last = sequence;
    }
    expect(done).toBe(steps.length);
    const warnings = this.#test.of('context:warning').map(({ message }) => message);
    expect(warnings.filter((warning) => warning.includes('not recorded'))).toEqual([]);
  }

  async #revert({ message, only }: Extract<Action, { kind: 'revert' }>): Promise<void> {
    const target = (message % this.#last) + 1;
    const files = recorded(this.#place.workspace);
    const result = await this.#test.runtime.files.revert(this.#sessionId, handleOf(target), {
      only,
      force: true,
    });
    const wanted = only === 'conversation' ? files : (this.#before.get(target) ?? {});
    expect(recorded(this.#place.workspace)).toEqual(wanted);
    const head = only === 'files' ? this.#head : (this.#parents.get(target) ?? 0);
    if (result.status === 'unchanged') {
      expect([files, this.#head]).toEqual([wanted, head]);
      return;
    }
    this.#undos.push({
      files: only === 'conversation' ? undefined : files,
      head: head === this.#head ? undefined : this.#head,
    });
    this.#head = head;
  }

  async #unrevert(): Promise<void> {
    const undo = this.#undos.pop();
    const files = recorded(this.#place.workspace);
    const work = this.#test.runtime.files.unrevert(this.#sessionId, { force: true });
    if (undo === undefined) return expect(work).rejects.toMatchObject({ code: 'not_found' });
    await work;
    expect(recorded(this.#place.workspace)).toEqual(undo.files ?? files);
    this.#head = undo.head ?? this.#head;
  }

  async #compact(): Promise<void> {
    const files = recorded(this.#place.workspace);
    await this.#test.runtime.compact(this.#sessionId);
    expect(recorded(this.#place.workspace)).toEqual(files);
  }

  async #fork(message: number): Promise<void> {
    const at = (message % this.#last) + 1;
    this.#forks += 1;
    const folder = join(this.#place.path, `fork${this.#forks}`);
    const tree = await this.#test.runtime.files.treeAfter(this.#sessionId, at);
    await this.#test.runtime.files.materialise(tree ?? '', folder);
    expect(recorded(folder)).toEqual(this.#after.get(at));
    const fork = await this.#test.runtime.fork(this.#sessionId, {
      at,
      place: { workspace: folder, git: undefined },
    });
    const { messages } = await this.#test.store.loadLog(fork.id);
    expect(messages.length).toBeLessThanOrEqual(at);
    // A step of the copy changes its own folder only.
    const files = recorded(this.#place.workspace);
    this.#work.push(() => writeFileSync(join(folder, 'of the copy'), 'new'));
    this.#steps.push(calls({ name: 'edit' }), answer('Done.'));
    await this.#test.runtime.run(fork.id, { content: [{ type: 'text', text: 'go' }] });
    expect(recorded(this.#place.workspace)).toEqual(files);
    await this.#test.runtime.files.revert(fork.id, handleOf(at + 1));
    expect(recorded(folder)).toEqual(this.#after.get(at));
  }

  async #checkPath(): Promise<void> {
    const { branches, head } = await this.#test.runtime.files.tree(this.#sessionId);
    const naive = new Set<number>();
    for (let at = this.#head; at > 0; at = this.#parents.get(at) ?? 0) naive.add(at);
    const live = branches.flatMap(({ first, liveUntil = 0 }) =>
      Array.from({ length: Math.max(0, liveUntil - first + 1) }, (_, index) => first + index),
    );
    expect(live).toEqual([...naive].sort((a, b) => a - b));
    expect(head).toBe(this.#head);
  }
}

/** A request without tools wants a summary. */
function play(steps: PlayedStep[], request: { tools?: readonly unknown[] | undefined }) {
  if ((request.tools ?? []).length === 0) return answer('A summary of the work so far.');
  const step = steps.shift() ?? answer('Nothing left.');
  return Array.isArray(step) ? step : [];
}

describe.each(['memory', 'SQLite'] as const)('a session in a %s store', (kind) => {
  it('has the files and the conversation of a naive model after any turns, reverts, unreverts and forks', async () => {
    await fc.assert(
      fc.asyncProperty(turn, fc.array(action, { minLength: 3, maxLength: 10 }), async (first, actions) => {
        await using place = await newPlace();
        writeFileSync(join(place.workspace, '.gitignore'), 'ignored/\n');
        mkdirSync(join(place.workspace, 'ignored'));
        const store =
          kind === 'memory'
            ? createMemoryStore()
            : await openSqliteStore({ path: join(place.path, 'db.sqlite') });
        const session = await ModelledSession.start(place, { store });
        for (const next of [first, ...actions]) await session.do(next);
        await store[Symbol.asyncDispose]();
      }),
      { numRuns: Number(process.env['LONGHAUL_PROPERTY_RUNS'] ?? 10) },
    );
  }, 300_000);
});
