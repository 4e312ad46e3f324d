import { writeFile } from 'node:fs/promises';
import { createPersonaServer } from '@longhaul/scripted-model';
import { expect, test } from 'vitest';
import { Bench } from './harness.ts';

const json = { 'content-type': 'application/json' };

const history = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'so many words. '.repeat(30)}`,
  }));

async function listening(bench: Bench, args: readonly string[], env: Record<string, string> = {}) {
  const running = bench.start(['gateway', '--json', '--port', '0', ...args], { env });
  let stdout = '';
  running.child.stdout?.on('data', (text: string) => {
    stdout += text;
  });
  await running.saw('"listening"');
  const { url } = JSON.parse(stdout.split('\n')[0] ?? '');
  return { running, url: String(url), stop: () => running.child.kill('SIGINT') };
}

test('longhaul gateway compacts, keeps it over a restart, and ends at Ctrl-C', async () => {
  await using bench = await Bench.open();
  await using model = await createPersonaServer({
    persona: 'llamacpp',
    windowTokens: 4_096,
    script: ({ asksForSummary }) => (asksForSummary ? 'Words were said.' : 'Yes.'),
  });
  const ask = async (url: string) => {
    const body = JSON.stringify({ model: model.model, messages: history(101) });
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', body, headers: json });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-longhaul-compacted')).toBe('1');
    return model.requests.at(-1)?.body?.messages;
  };
  const args = ['--upstream', `local=${model.url}`, '--notices', 'off', '--compactor', 'none'];
  const first = await listening(bench, args);
  const sent = await ask(first.url);
  first.stop();
  expect((await first.running.ended).code).toBe(0);

  const second = await listening(bench, args);
  expect(await ask(second.url)).toEqual(sent);
  const status = await (await fetch(second.url.replace('/v1', '/status'))).text();
  expect(JSON.parse(status).models).toMatchObject([
    { upstream: 'local', compactions: 0, compactedRequests: 1 },
  ]);
  second.stop();
  const ended = await second.running.ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
});

test('prints where it listens, and explains what to do if it cannot listen', async () => {
  await using bench = await Bench.open();
  const running = bench.start(['gateway', '--upstream', 'http://127.0.0.1:1234/v1', '--port', '0']);
  await running.saw('Ctrl-C stops it.');
  running.child.kill('SIGTERM');
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /listens on http:\/\/127\.0\.0\.1:\d+\/v1\n\n {2}lmstudio {2}http:\/\/127\.0\.0\.1:1234\/v1\n/,
  );

  const refused = async (args: string[], text: RegExp) => {
    const end = await bench.call(['gateway', ...args]);
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(text) });
  };
  await refused(['--upstream', '127.0.0.1:1234'], /--upstream must be an http/);
  await refused(['http://127.0.0.1:1234/v1'], /named with --upstream/);
  await refused(['--host', '0.0.0.0', '--port', '0'], /LONGHAUL_GATEWAY_TOKEN/);
  await refused(['--notices', 'loud'], /--notices must be/);
});

test('says at start which upstreams it assumes without --upstream, and whether they answer', async () => {
  await using bench = await Bench.open();
  const lines = async (...args: string[]) => {
    const running = bench.start(['gateway', '--port', '0', ...args]);
    await running.saw(args.includes('--json') ? '"log"' : 'Ctrl-C stops it.');
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, '']);
    return stdout.split('\n');
  };
  // A server may listen there on the machine of the test.
  expect((await lines())[0]).toMatch(
    /^No --upstream given: using http:\/\/127\.0\.0\.1:1234\/v1 \(LM Studio\)\. It (answers|does not answer yet)/,
  );
  expect((await lines('--upstream', 'http://127.0.0.1:1234/v1'))[0]).toMatch(/^The gateway listens on/);

  await using model = await createPersonaServer({
    persona: 'vllm',
    windowTokens: 4_096,
    script: () => 'Yes.',
  });
  const closed = await createPersonaServer({ persona: 'ollama', windowTokens: 4_096, script: () => 'Yes.' });
  const down = closed.url;
  await closed.close();
  const file = bench.userFile;
  await writeFile(
    file,
    `gateway: { upstreams: [{ name: local, baseUrl: '${model.url}' }, { name: ollama, baseUrl: '${down}' }] }\n`,
  );
  const answering = `No --upstream given: using ${model.url} (local, from ${file}). It answers with 1 model.`;
  const silent = `Also using ${down} (Ollama, from ${file}). It does not answer yet; requests get 502 until it does. Name another with --upstream URL.`;
  expect((await lines()).slice(0, 2)).toEqual([answering, silent]);
  const [listening, ...logged] = await lines('--json');
  expect(JSON.parse(listening ?? '').type).toBe('listening');
  expect(logged.slice(0, 2).map((line) => JSON.parse(line))).toMatchObject([
    { type: 'log', level: 'info', upstream: 'local', message: answering },
    { type: 'log', level: 'warn', upstream: 'ollama', message: silent },
  ]);
});

test('a window that a refusal taught is forgotten at a word', async () => {
  await using bench = await Bench.open();
  await using model = await createPersonaServer({
    persona: 'vllm',
    windowTokens: 4_096,
    reportsWindow: false,
    script: () => 'Yes.',
  });
  const args = ['--upstream', `local=${model.url}`, '--notices', 'off', '--compactor', 'none'];
  const running = await listening(bench, args);
  const body = JSON.stringify({ model: model.model, messages: history(101) });
  const ask = () => fetch(`${running.url}/chat/completions`, { method: 'POST', body, headers: json });
  expect((await ask()).status).toBe(200);
  expect(model.overflows).toBe(1);
  const forget = async (...more: string[]) => {
    const ended = await bench.call(['gateway', ...args, '--forget', model.model, ...more]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return ended.stdout;
  };
  expect(await forget()).toBe(`Forgotten: a window of 4096 tokens, of ${model.model} at local.\n`);
  expect(await forget()).toBe(`No window of ${model.model} was learned at local.\n`);
  const place = { upstream: 'local', baseUrl: model.url, model: model.model };
  expect(JSON.parse(await forget('--json'))).toEqual({ type: 'nothing-learned', ...place });
  running.stop();
  await running.running.ended;

  const restarted = await listening(bench, args);
  expect(
    (await fetch(`${restarted.url}/chat/completions`, { method: 'POST', body, headers: json })).status,
  ).toBe(200);
  expect(model.overflows).toBe(2);
  expect(JSON.parse(await forget('--json'))).toEqual({ type: 'forgotten', ...place, windowTokens: 4_096 });
  restarted.stop();
  await restarted.running.ended;
});
