import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { WorkspaceTrust } from '@longhaul/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

let bench: Bench;

beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench[Symbol.asyncDispose]());

const project = (text: string) => writeFile(join(bench.workspace, 'longhaul.yml'), text);

async function serving(...more: string[]) {
  const { firstLine, stop } = await bench.begin(['serve', '--port', '0', '--json', ...more]);
  const { url, tokenFile } = JSON.parse(firstLine);
  const token = tokenFile === undefined ? '' : (await readFile(tokenFile, 'utf8')).trim();
  const send = (method: string, path: string, body?: object) =>
    fetch(url + path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
  const get = async (): Promise<WorkspaceTrust> => JSON.parse(await (await send('GET', '/api/trust')).text());
  const answer = (hash: string, trusted = true) => send('POST', '/api/trust', { hash, trusted });
  return { stop, url, tokenFile, send, get, answer };
}

describe('an answer over the API', () => {
  it('shows what the files want, and trusts exactly what was shown', async () => {
    await project('sandbox: { env: [MINE] }\n');
    const { get, answer } = await serving('--log-level', 'silent');
    const before = await get();
    expect(before).toMatchObject({ isTrusted: false, wants: [{ key: 'sandbox.env', isTrusted: false }] });
    await project('sandbox: { env: [MINE, AWS_SECRET_ACCESS_KEY] }\n');
    expect((await answer(before.hash)).status).toBe(400);
    const now = await get();
    expect(now).toMatchObject({ isTrusted: false });
    expect(await (await answer(now.hash)).json()).toMatchObject({ isTrusted: true });
    expect((await bench.call(['sessions'])).stderr).not.toContain('not trusted');
    expect(await (await answer(now.hash, false)).json()).toMatchObject({ isTrusted: false });
  });

  it('is refused by a server without a token, which the agent could call', async () => {
    await project('sandbox: { env: [MINE] }\n');
    const { get, answer } = await serving('--log-level', 'silent', '--no-token');
    expect((await answer((await get()).hash)).status).toBe(403);
    expect((await get()).isTrusted).toBe(false);
  });
});

describe('the token of a server', () => {
  it.each([
    ['a database in memory', () => 'memory:'],
    ['a database in the workspace', () => `sqlite:${join(bench.workspace, 'data', 'longhaul.db')}`],
  ])('is not in the workspace with %s', async (_, url) => {
    await writeFile(bench.userFile, `storage: { url: "${url()}" }\n`);
    const planted = 'planted-token-of-the-agent-0123456789abcdef';
    for (const folder of ['.', 'data']) {
      await mkdir(join(bench.workspace, folder), { recursive: true });
      await writeFile(join(bench.workspace, folder, 'server-token'), planted, { mode: 0o600 });
    }
    const { stop, tokenFile, url: address } = await serving('--log-level', 'silent');
    expect(tokenFile).toBe(join(bench.home, '.local', 'share', 'longhaul', 'server-token'));
    const answer = await fetch(`${address}/api/trust`, { headers: { authorization: `Bearer ${planted}` } });
    expect(answer.status).toBe(401);
    expect((await stop()).stderr).toBe('');
  });

  it('is reported if it can only be in a workspace', async () => {
    await writeFile(bench.userFile, `server: { workspaces: ["${bench.root}"] }\n`);
    const { stop, tokenFile } = await serving('--log-level', 'warn');
    const lines = (await stop()).stderr.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line).msg)).toContain(
      `longhaul: the token ${tokenFile} is in the workspace ${bench.root}: the agent can read it, and answer its own approvals. Serve other folders (server.workspaces), or move the database (storage.url).`,
    );
  });
});

describe('a server that runs', () => {
  const PROJECT =
    'agents: { coder: { prompt: ./prompt.md } }\nserver: { requestsPerSecond: null }\nproviders: { team: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: team-key-planted, models: { one: { window: 16000 } } } }\n';

  async function withSession() {
    const { server } = await bench.serve({ script: () => 'Known: team-key-planted' });
    await writeFile(
      bench.userFile,
      `model: openai-compatible/scripted\nproviders: { openai-compatible: { baseUrl: "${server.url}" } }\nsandbox: { driver: local }\n`,
    );
    await project(PROJECT);
    await writeFile(join(bench.workspace, 'prompt.md'), 'You are the prompt of the project.');
    const served = await serving();
    const { id } = JSON.parse(await (await served.send('POST', '/api/sessions', {})).text());
    const events = () => eventsAfter(served, id);
    /** Runs the session, and returns the new events and whether the project's prompt was used. */
    const run = async () => {
      const before = (await events()).length;
      const finished = async () =>
        (await events()).slice(before).findIndex(({ type }) => type === 'run:finished');
      await served.send('POST', `/api/sessions/${id}/messages`, { content: 'Go' });
      await expect.poll(finished).toBeGreaterThan(0);
      const sent = JSON.stringify(server.requests.at(-1));
      return {
        sent,
        events: (await events()).slice(before),
        isProjects: sent.includes('You are the prompt of the project.'),
      };
    };
    return { ...served, run, events };
  }

  it('uses a new trust in the next run, and reports what is ignored and the answer', async () => {
    const { get, answer, run, events } = await withSession();
    const untrusted = await run();
    expect(untrusted.isProjects).toBe(false);
    expect(ofTrust(untrusted.events)).toMatchObject([
      {
        type: 'trust:requested',
        workspace: bench.workspace,
        wants: [
          { key: 'agents.coder.prompt', isTrusted: false, files: [expect.stringContaining('prompt.md')] },
          { key: 'server', isTrusted: false },
          { key: 'providers.team', isTrusted: false },
        ],
      },
    ]);
    expect(JSON.stringify(untrusted.events)).toContain('team-key-planted');

    const { hash } = await get();
    expect(await (await answer(hash)).json()).toMatchObject({ isTrusted: true, needsRestart: ['server'] });
    expect(ofTrust(await events()).at(-1)).toMatchObject({
      type: 'trust:answered',
      answer: 'trusted',
      workspace: bench.workspace,
    });
    const trusted = await run();
    expect(trusted.isProjects).toBe(true);
    expect(ofTrust(trusted.events)).toEqual([]);
    expect(JSON.stringify(trusted.events)).not.toContain('team-key-planted');

    expect(await (await answer(hash, false)).json()).toMatchObject({ isTrusted: false, needsRestart: [] });
    const revoked = await run();
    expect(revoked.isProjects).toBe(false);
    expect(ofTrust(revoked.events)).toMatchObject([{ type: 'trust:requested' }]);
  });

  it('uses what another process trusts or withdraws in the next run', async () => {
    const { run } = await withSession();
    expect((await run()).isProjects).toBe(false);
    await bench.call(['trust', '--yes']);
    const trusted = await run();
    expect(trusted.isProjects).toBe(true);
    expect(ofTrust(trusted.events)).toMatchObject([{ type: 'trust:answered', answer: 'trusted' }]);
    await bench.call(['trust', '--revoke']);
    expect((await run()).isProjects).toBe(false);
  });

  it('reads all options of a run from the files that are trusted when it starts', async () => {
    const { run } = await withSession();
    await writeFile(join(bench.workspace, 'NOTES.md'), 'Mind the notes of the project.');
    await project(`${PROJECT}context: { instructions: [NOTES.md] }\ntools: { rawResults: true }\n`);
    expect((await run()).sent).not.toContain('Mind the notes of the project.');
    await bench.call(['trust', '--yes']);
    expect((await run()).sent).toContain('Mind the notes of the project.');
  });

  it('starts no run as long as what is trusted now cannot be loaded', async () => {
    const { run, get, answer, send } = await withSession();
    await project('agents: { coder: { prompt: ./prompt.md, tools: [no-such-tool] } }\n');
    expect((await answer((await get()).hash)).status).toBe(400);
    const { id } = JSON.parse(await (await send('POST', '/api/sessions', {})).text());
    const sent = await send('POST', `/api/sessions/${id}/messages`, { content: 'Go' });
    expect([sent.status, await sent.text()]).toEqual([400, expect.stringContaining('no-such-tool')]);
    await project(PROJECT);
    await bench.call(['trust', '--yes']);
    expect((await run()).isProjects).toBe(true);
  });
});

it('run --json reports the ignored settings after run:started', async () => {
  const { flags } = await bench.serve({ script: () => 'Hello.' });
  await project('sandbox: { env: [MINE] }\n');
  const args = ['run', 'Hi', '--json', '--sandbox', 'local', ...flags];
  const events = eventsOf(await bench.call(args));
  const started = events.findIndex(({ type }) => type === 'run:started');
  expect(events[started + 1]).toMatchObject({
    type: 'trust:requested',
    wants: [{ key: 'sandbox.env', danger: 'data', text: '["MINE"]', isTrusted: false }],
  });
  expect(ofTrust(eventsOf(await bench.call([...args, '--trust'])))).toEqual([]);
});

function ofTrust(events: readonly LonghaulEvent[]): LonghaulEvent[] {
  return events.filter(({ type }) => type.startsWith('trust:'));
}

async function eventsAfter(
  { send }: { send: (method: string, path: string) => Promise<Response> },
  id: string,
): Promise<LonghaulEvent[]> {
  const exported = JSON.parse(await (await send('GET', `/api/sessions/${id}/export`)).text());
  return exported.events;
}
