import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Approval, Message } from '@longhaul/protocol';
import { hasToolCall, type Script } from '@longhaul/scripted-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const touch: Script = ({ messages }) =>
  hasToolCall(messages, 'bash')
    ? 'It is done.'
    : { text: '', toolCalls: [{ name: 'bash', arguments: { command: 'touch made' } }] };
/** What of the server's answers is looked at. */
interface Answer {
  id: string;
  approvals: Approval[];
  messages: Message[];
}

const RULES = 'approvals:\n  - { tool: bash, action: ask }\n';

describe('approvals in the command', () => {
  let bench: Bench;
  let flags: string[];
  let modelUrl: string;

  beforeEach(async () => {
    bench = await Bench.open();
    await writeFile(bench.userFile, RULES);
    const model = await bench.serve({ script: touch });
    flags = ['--sandbox', 'local', ...model.flags];
    modelUrl = model.server.url;
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const made = () => existsSync(join(bench.workspace, 'made'));

  it('exits with 4 if nobody can be asked and no other call was allowed', async () => {
    const ended = await bench.call(['run', ...flags, '--json', 'Touch it']);
    const finished = eventsOf(ended).find((event) => event.type === 'run:finished');
    expect(finished).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
    expect([ended.code, made()]).toEqual([4, false]);
  });

  it('allows calls that would ask with --yes', async () => {
    const { code } = await bench.call(['run', ...flags, '--yes', '--quiet', 'Touch it']);
    expect([code, made()]).toEqual([0, true]);
  });

  it.each([
    ['what?\na', 0, true],
    ['n\nnot in here', 0, false],
  ])('asks the person at a terminal, who answers %j', async (typed, code, isMade) => {
    const running = bench.start(['run', ...flags, 'Touch it'], { terminal: true, env: { TERM: 'xterm' } });
    await running.saw('Allow it?');
    running.child.stdin?.write(`${typed}\n`);
    const ended = await running.ended;
    expect(ended.stdout).toContain('? bash touch made');
    expect([ended.code, made()]).toEqual([code, isMade]);
    if (!isMade) {
      const shown = await bench.call(['show', 'last', '--json']);
      expect(shown.stdout).toContain('Not allowed: not in here.');
    }
    expect(await readFile(bench.userFile, 'utf8')).toBe(RULES);
  });

  it('keeps a request after its process is killed, and makes the call once when it is answered', async () => {
    await writeFile(
      bench.userFile,
      `${RULES}model: local/scripted\nsandbox: { driver: local }\nproviders:\n  local: { kind: openai-compatible, baseUrl: "${modelUrl}", models: { scripted: { window: 16000 } } }\n`,
    );
    const first = await served();
    const { id } = await first.post('/api/sessions', {});
    await first.post(`/api/sessions/${id}/messages`, { content: 'Touch it' });
    const [request] = await waiting(first, id);
    expect(request).toMatchObject({ toolName: 'bash', args: { command: 'touch made' } });
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await served('--resume');
    expect(await waiting(second, id)).toEqual([request]);
    expect(made()).toBe(false);
    await second.post(`/api/sessions/${id}/approvals/${request?.callId}`, { answer: 'once' });
    await expect.poll(() => second.get(`/api/sessions/${id}`)).toMatchObject({ state: 'completed' });
    expect(made()).toBe(true);
    const { messages } = await second.get(`/api/sessions/${id}/messages`);
    const calls = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool'));
    expect(calls).toMatchObject([{ state: 'completed' }]);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  async function served(...more: string[]) {
    const running = bench.start(['serve', '--json', '--port', '0', '--log-level', 'silent', ...more]);
    await running.saw('listening');
    const { url, tokenFile } = JSON.parse(running.output());
    const headers = {
      authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`,
      'content-type': 'application/json',
    };
    const call = async (path: string, init: RequestInit = {}): Promise<Answer> =>
      JSON.parse(await (await fetch(url + path, { headers, ...init })).text());
    return {
      ...running,
      get: (path: string) => call(path),
      post: (path: string, body: object) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    };
  }

  async function waiting({ get }: Awaited<ReturnType<typeof served>>, id: string): Promise<Approval[]> {
    const open = async () => (await get(`/api/sessions/${id}/approvals?open=true`)).approvals;
    await expect.poll(open).toHaveLength(1);
    return open();
  }
});
