import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSandboxDriver } from '@longhaul/sandbox';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, type Running } from './harness.ts';

const bash = (command: string) => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });

/** Writes into a file until it is killed, with a child that has left its session and its environment. */
const BEAT = `beat() { while :; do echo x >>beats; sleep 0.02; done; }
beat & touch begun; beat`;

/** Counts what is written while it waits. */
const COUNT = 'wc -l <beats >first; sleep 0.5; wc -l <beats >second';

/** A model that starts the writer, then in the next run counts, then answers. */
function beatsThenCounts() {
  const answers = [bash(BEAT), bash(COUNT)];
  let next = -1;
  return () => {
    next += 1;
    return answers[next] ?? 'Done.';
  };
}

function database(bench: Bench): DatabaseSync {
  return new DatabaseSync(join(bench.home, '.local/share/longhaul/longhaul.db'));
}

/** Lets the lease of the stopped process run out, as if 30 seconds had passed. */
function expireLease(bench: Bench): void {
  using db = database(bench);
  db.exec('UPDATE heads SET expires_at = 0, expires_uptime = 0');
}

function processRows(bench: Bench) {
  using db = database(bench);
  return db.prepare('SELECT outcome, driver, command, ended_at FROM processes ORDER BY key').all();
}

/** Everything that a run writes, apart from the records of its processes. */
function storedLog(bench: Bench) {
  using db = database(bench);
  return ['messages', 'parts', 'events', 'runs'].map((table) => db.prepare(`SELECT * FROM ${table}`).all());
}

async function stoppedRun(bench: Bench, flags: readonly string[]): Promise<Running> {
  const running = bench.start(['run', 'Work', '--json', '--yes', ...flags]);
  await expect.poll(() => readdir(bench.workspace)).toContain('begun');
  running.child.kill('SIGSTOP');
  return running;
}

const numberIn = async (bench: Bench, name: string) =>
  Number((await readFile(join(bench.workspace, name), 'utf8')).trim());

for (const driver of ['local', 'bubblewrap'] as const) {
  const isHere = (await createSandboxDriver(driver).probe()).available;
  describe.skipIf(!isHere)(`a run that replaces a stopped one, with ${driver}`, () => {
    it('ends the commands of the stopped run before it starts its first', async () => {
      await using bench = await Bench.open();
      const { server, flags } = await bench.serve({ script: beatsThenCounts() });
      const own = [...flags, '--sandbox', driver];
      const stopped = await stoppedRun(bench, own);
      expireLease(bench);
      const successor = await bench.run(['resume', 'last', '--json', '--yes', ...own]);
      expect(successor).toMatchObject({ code: 0, stderr: '' });
      expect(await numberIn(bench, 'first')).toBeGreaterThan(0);
      expect(await numberIn(bench, 'second')).toBe(await numberIn(bench, 'first'));
      const repaired = eventsOf(successor).find((event) => event.type === 'run:repaired');
      expect(repaired).toMatchObject({ killedCommands: 1, unknownCalls: 1 });
      const requests = server.requests.length;
      const before = storedLog(bench);
      stopped.child.kill('SIGCONT');
      // The woken process is refused its writes, calls no model and ends.
      await stopped.ended;
      expect(storedLog(bench)).toEqual(before);
      expect(server.requests).toHaveLength(requests);
      expect(await numberIn(bench, 'second')).toBe(await numberIn(bench, 'first'));
      expect(processRows(bench)).toMatchObject([
        { outcome: 'killed', driver },
        { outcome: 'ended', driver },
      ]);
    });
  });
}

it('starts nothing while a command of another machine may still run, until a person confirms that it has ended', async () => {
  await using bench = await Bench.open();
  const { server, flags } = await bench.serve({ script: beatsThenCounts() });
  const own = [...flags, '--sandbox', 'local'];
  const stopped = await stoppedRun(bench, own);
  expireLease(bench);
  using db = database(bench);
  db.exec("UPDATE processes SET host = 'elsewhere'");
  const refused = await bench.run(['resume', 'last', '--yes', ...own]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('another machine, elsewhere');
  expect(refused.stderr).toContain('--assume-ended');
  expect(server.requests).toHaveLength(1);
  stopped.child.kill('SIGKILL');
  await stopped.ended;
  const resumed = await bench.run(['resume', 'last', '--yes', '--quiet', '--assume-ended', ...own]);
  expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(processRows(bench)[0]).toMatchObject({ outcome: 'assumed' });
});

it('starts no command if it is stopped between the record and the start, and replaced', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-gate-'));
  const driver = createSandboxDriver('local');
  try {
    await using sandbox = await driver.open({
      sessionId: 's',
      workspace: folder,
      network: 'on',
      memoryMb: 512,
      pids: 64,
      cpus: 1,
      env: {},
      image: '',
      programFolders: [],
      // Everything that a successor does happens while this process would be stopped.
      recordProcess: async (_command, place) => {
        expect(await driver.end(place)).toEqual({ ended: 'killed' });
        return async () => undefined;
      },
    });
    await sandbox.exec('touch started', { timeoutMs: 60_000, onOutput: () => undefined });
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
