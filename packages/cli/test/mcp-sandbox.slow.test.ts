import { randomUUID } from 'node:crypto';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LonghaulEvent } from '@longhaul/protocol';
import { hasToolCall, type ScriptAnswer } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';
import { DOCKER_IMAGE, lacksBubblewrap, lacksDocker } from './machine.ts';

const PEEKING = fileURLToPath(new URL('mcp-sandbox/peeking-server.ts', import.meta.url));
const SECRET = 'a secret of the user';

const call = (name: string, input: object = {}): ScriptAnswer => ({
  toolCalls: [{ name: `x_${name}`, arguments: JSON.stringify(input) }],
});

describe.each(
  [
    { driver: 'bubblewrap', lacking: lacksBubblewrap },
    { driver: 'docker', lacking: lacksDocker },
  ].map((each) => ({ ...each, title: [each.driver, each.lacking].filter(Boolean).join(': ') })),
)('a server in $title', ({ driver, lacking }) => {
  it.skipIf(lacking !== undefined)(
    'sees the workspace and its own variables, and nothing else of the user',
    async () => {
      await using bench = await Bench.open();
      const mark = await configure(bench, driver);
      await using listening = await listen();
      const [userFile, secret] = [bench.userFile, join(bench.home, 'secret')];
      await writeFile(secret, SECRET);
      await writeFile(join(bench.workspace, 'notes'), 'notes of the project');
      const steps = [
        call('read', { path: secret }),
        call('read', { path: userFile }),
        call('variables'),
        call('read', { path: '/proc/1/environ' }),
        call('connect', { port: listening.port }),
        call('read', { path: 'notes' }),
        call('write', { path: 'made', text: 'by the server' }),
        call('roots'),
      ];
      const { flags } = await bench.serve({ script: ({ number }) => steps[number - 1] ?? 'Done.' });
      const env = { OPENAI_API_KEY: SECRET, MY_PASSWORD: SECRET, FOR_SERVER: 'its own token' };
      const events = eventsOf(await bench.run(['run', 'Go', '--json', ...flags], { env }));

      const results = textsOf(events);
      expect(results).toHaveLength(steps.length);
      expect(results.slice(0, 2)).toEqual(['refused: ENOENT', 'refused: ENOENT']);
      expect(results[2]).toContain('its own token');
      expect(results.slice(2, 4).join('\n')).not.toContain(SECRET);
      expect(results.slice(4)).toEqual([
        'refused: ECONNREFUSED',
        '"notes of the project"',
        '"done"',
        '["file:///workspace"]',
      ]);
      expect(await readFile(join(bench.workspace, 'made'), 'utf8')).toBe('by the server');
      // It has ended with the command.
      expect(await processesWith(mark)).toEqual([]);
    },
    120_000,
  );

  it.skipIf(lacking !== undefined)(
    'ends after kill -9 of its run, with what it has started',
    async () => {
      await using bench = await Bench.open();
      const mark = await configure(bench, driver);
      const called = Promise.withResolvers<void>();
      const { flags } = await bench.serve({
        script: async ({ messages, number }) => {
          if (!hasToolCall(messages, 'x_roots')) return call('roots');
          if (number === 2) {
            called.resolve();
            await new Promise(() => {});
          }
          return 'Done.';
        },
      });
      const running = bench.start(['run', 'Go', '--json', ...flags]);
      await Promise.race([
        called.promise,
        running.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ]);
      const before = await processesWith(mark);
      expect(before.length).toBeGreaterThanOrEqual(2);
      running.child.kill('SIGKILL');
      await running.ended;
      const resumed = eventsOf(await bench.run(['resume', 'last', '--json']));
      expect(resumed.findLast(({ type }) => type === 'run:finished')).toMatchObject({ status: 'completed' });
      await expect.poll(() => processesWith(mark), { timeout: 60_000 }).toEqual([]);
    },
    180_000,
  );
});

it('a server that needs a sandbox does not start in the sandbox `local`, which isolates nothing', async () => {
  await using bench = await Bench.open();
  const mark = await configure(bench, 'local');
  const { code, stdout } = await bench.run(['mcp', 'test']);
  expect(code).not.toBe(0);
  expect(stdout).toContain('the sandbox `local` isolates nothing. Use docker or bubblewrap');
  expect(await processesWith(mark)).toEqual([]);
});

/** Configures the peeking server. Returns an argument that all of its processes have. */
async function configure(bench: Bench, driver: string): Promise<string> {
  const mark = `mark-${randomUUID()}`;
  await copyFile(PEEKING, join(bench.workspace, 'server.ts'));
  const server = { command: 'node', args: ['server.ts', mark], env: { TOKEN: '$FOR_SERVER' }, sandbox: true };
  const sandbox = { driver, image: DOCKER_IMAGE, network: 'off' };
  await writeFile(bench.userFile, JSON.stringify({ sandbox, mcp: { servers: { x: server } } }));
  return mark;
}

/** A program of this machine that listens on its own address. */
async function listen(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('It has no port.');
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the process ids of this machine's programs, also of those in a sandbox, that have this argument. */
async function processesWith(mark: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.split('\0').includes(mark));
}

function textsOf(events: readonly LonghaulEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'llm:tool-result') return [];
    return event.sanitized.map((part) => (part.type === 'text' ? part.text : part.type)).join('');
  });
}
