import { gzipSync } from 'node:zlib';
import type { ChatTool } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { compactionAsker } from '../src/upstream/compaction-asker.ts';
import { Router } from '../src/upstream/router.ts';
import { SharedWindows } from '../src/upstream/shared-window.ts';
import { Upstream } from '../src/upstream/upstream.ts';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

const ANSWER = '{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes"}}]}';
const SUMMARY = '{"choices":[{"index":0,"message":{"role":"assistant","content":"A summary of the chat."}}]}';
const json = { 'content-type': 'application/json' };

/** Returns the bodies that reach the upstream when the gateway receives the given ones. */
async function bodiesSent(
  bodies: readonly (string | Buffer)[],
  { compaction = true, others = [] as string[], window = 100_000, headers = {} } = {},
) {
  await using upstream = await startRecordingUpstream(
    (request, response) =>
      void response.writeHead(200, json).end(/summar/i.test(String(request.body)) ? SUMMARY : ANSWER),
    { '/props': { default_generation_settings: { n_ctx: window } } },
  );
  const upstreams = ['local', ...others].map((name) => ({ name, baseUrl: upstream.url, compaction }));
  await using gateway = await startTestGateway(upstream.url, { upstreams });
  for (const body of bodies) {
    expect((await rawRequest(gateway.url, { headers: { ...json, ...headers }, body })).status).toBe(200);
  }
  return upstream.received.filter(({ method }) => method === 'POST').map(({ body }) => body.toString());
}

/** A request with odd spaces and numbers outside of the given parts, which must stay as they are. */
const request = (call: string, { tools = '[]', result = '"c1"', text = 'Hi', model = 'm' } = {}) =>
  `{"model": "${model}" ,"seed":12345678901234567890,"tools":${tools},"messages":[{"role":"user","content":"${text}", "x":1.0},` +
  `${call},{"role":"tool","tool_call_id":${result},"content":"é"}] }`;
const called = (name: string, input = '{}') =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(input)}}}]}`;
const tool = (name: string) => `[{"type":"function","function":{"name":"${name}","description":"\\ud83d"}}]`;
const LONG = 'n'.repeat(70);
const UNFIT = request(called('functions.bash', '{"p":"\\ud83d"}'), { text: '\\ud83d' });

test('keeps the bytes of requests that servers accept', async () => {
  const bodies = [
    request(called('bash', '{"a":"\\ud83d\\ude00 \\\\ud83d"}'), { text: '\\uD83D\\uDE00 \\\\ud83d \\u00e9' }),
    request(called('2-fast_')),
    request(called('functions.bash'), { tools: tool('functions.bash') }),
    request(called(LONG), { tools: tool(LONG), result: `"c1","name":"${LONG}"` }),
    '{"model":"m","messages":[{"role":"user","name":"A. Person","content":"Hi"},{"role":"assistant","name":"Dr. Bot","tool_calls":[7,{"function":null},{"custom":"a.b"}],"function_call":"a.b"},{"role":"function","name":7}]}',
  ];
  expect(await bodiesSent(bodies)).toEqual(bodies);
});

test('changes nothing for an upstream without compaction', async () => {
  // With one upstream, the gateway does not read the body: it need not be JSON.
  const bodies = [UNFIT, `${UNFIT},`];
  expect(await bodiesSent(bodies, { compaction: false })).toEqual(bodies);
  const prefixed = UNFIT.replace('"m"', '"other/m"');
  // With several, it reads the body to find the model.
  expect(await bodiesSent([UNFIT, prefixed], { compaction: false, others: ['other'] })).toEqual([
    UNFIT,
    UNFIT,
  ]);
});

test('fits names that no tool of the request has', async () => {
  const cases = [
    ['functions.bash', 'functions_bash'],
    ['bash<|channel|>commentary', 'bash_channel_commentary'],
    [LONG, LONG.slice(0, 64)],
    ['', '_'],
    ['my_tool.', 'my_tool__2'],
  ] as const;
  const tools = '[{"type":"function","function":{"name":"my_tool_"}}]';
  const bodyOf = (name: string) => request(called(name), { tools, result: `"c1","name":"${name}"` });
  const sent = await bodiesSent(cases.map(([name]) => bodyOf(name)));
  expect(sent).toEqual(cases.map(([, fitted]) => bodyOf(fitted)));
});

test('fits calls of all forms and their results with one name each', async () => {
  const bodyOf = (...names: string[]) =>
    `{"model":"m","messages":[{"role":"user","content":"Hi"},` +
    `{"role":"assistant","content":null,"function_call":{"name":"${names[0]}","arguments":"{\\"p\\":1}"}},` +
    `{"role":"function","name":"${names[0]}","content":"1"},` +
    `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"custom","custom":{"name":"${names[1]}","input":"\\\\ud83d"}},` +
    `{"id":"2","type":"function","function":{"name":"${names[0]}","arguments":"{}"}}]},` +
    `{"role":"tool","tool_call_id":"1","name":"${names[1]}","content":"2"},` +
    `{"role":"tool","tool_call_id":"2","name":"${names[0]}","content":"3"}]}`;
  const sent = await bodiesSent([bodyOf('a.b', 'a:b'), bodyOf('x', 'y')]);
  expect(sent).toEqual([bodyOf('a_b', 'a_b_2'), bodyOf('x', 'y')]);
});

test('replaces unpaired surrogates only in messages', async () => {
  const pairs = '\\ud83d\\ude00';
  const tools = tool('bash');
  const legacy = (surrogate: string) =>
    `{"role":"assistant","function_call":{"name":"f","arguments":"{\\"p\\":\\"${surrogate}\\"}"}}`;
  expect(
    await bodiesSent([
      request(called('bash'), { tools, text: `a\\ud83d ${pairs}\\uDE00\\\\\\ud83d` }),
      request(called('bash', `{"p":"\\ud83d ${pairs} \\\\ud83d"}`), { tools }),
      request(legacy('\\\\udc00')),
    ]),
  ).toEqual([
    request(called('bash'), { tools, text: `a\\ufffd ${pairs}\\ufffd\\\\\\ufffd` }),
    request(called('bash', `{"p":"\\ufffd ${pairs} \\\\ud83d"}`), { tools }),
    request(legacy('\\\\ufffd')),
  ]);
});

test('decompresses only a request that must change', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const sound = gzipSync(request(called('bash')));
  const sent = await bodiesSent([gzipSync(request(called('functions.bash'))), sound], { headers });
  expect(sent).toEqual([request(called('functions_bash')), sound.toString()]);
});

test('mends a compacted request', async () => {
  const old = Array.from(
    { length: 40 },
    (_, index) =>
      `{"role":"user","content":"Question ${index} ${'word '.repeat(100)}"},{"role":"assistant","content":"Answer ${index} \\ud83d"}`,
  );
  const result = '{"role":"tool","tool_call_id":"c1","content":"ok"}';
  const body = `{"model":"m","messages":[{"role":"user","content":"Go \\ud83d"},${called('functions:bash')},${result},${old.join()},{"role":"user","content":"Now"},${called('functions.bash')},${result}]}`;
  const sent = await bodiesSent([body], { window: 4_096 });
  const last = sent.at(-1) ?? '';
  expect(sent.length).toBeGreaterThan(1);
  expect(last.length).toBeLessThan(body.length);
  // The name has the same form as in the whole history, although the other call was compacted.
  expect(last).toContain(called('functions_bash_2'));
  for (const text of sent) expect(text).not.toMatch(LONE);
});

/** An escaped surrogate, not the text of one in quoted JSON. */
const LONE = /(?<!\\)(?:\\\\)*\\ud83d/;

test('mends the request for a summary that continues the history', async () => {
  await using upstream = await startRecordingUpstream((_, response) => void response.end(SUMMARY));
  const local = new Upstream({ name: 'local', baseUrl: upstream.url });
  const ask = compactionAsker({
    upstream: local,
    router: new Router([local]),
    sharedWindows: new SharedWindows({ reportOf: () => undefined }),
    isSame: true,
    keyFor: () => undefined,
  });
  const { messages } = JSON.parse(UNFIT);
  const tools: ChatTool[] = [{ type: 'function', function: { name: 'functions_bash' } }];
  const signal = new AbortController().signal;
  expect(await ask({ model: 'm', messages, tools, maxTokens: 9, promptTokens: 100, signal })).toMatchObject({
    status: 'ok',
  });
  const { messages: fitted } = JSON.parse(
    request(called('functions_bash_2', '{"p":"\\ufffd"}'), { text: '\\ufffd' }),
  );
  expect(JSON.parse(String(upstream.received.at(-1)?.body))).toMatchObject({ messages: fitted, tools });
  local.close();
});
