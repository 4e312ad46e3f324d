import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

const ANSWER = '{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes"}}]}';
const SUMMARY = '{"choices":[{"index":0,"message":{"role":"assistant","content":"A summary of the chat."}}]}';
const json = { 'content-type': 'application/json' };

/** Returns the bodies that reach the upstream when the gateway receives the given ones. */
async function bodiesSent(
  bodies: readonly (string | Buffer)[],
  { compaction, window = 100_000, headers = {} }: { compaction: boolean; window?: number; headers?: object },
) {
  await using upstream = await startRecordingUpstream(
    (request, response) =>
      void response.writeHead(200, json).end(/summar/i.test(String(request.body)) ? SUMMARY : ANSWER),
    { '/props': { default_generation_settings: { n_ctx: window } } },
  );
  const upstreams = [{ name: 'local', baseUrl: upstream.url, compaction }];
  await using gateway = await startTestGateway(upstream.url, { upstreams });
  for (const body of bodies) {
    expect((await rawRequest(gateway.url, { headers: { ...json, ...headers }, body })).status).toBe(200);
  }
  return upstream.received.filter(({ method }) => method === 'POST').map(({ body }) => body.toString());
}

/** A request with odd spaces and numbers outside of the given parts, which must stay as they are. */
const request = (call: string, { tools = '[]', result = '"c1"', text = 'Hi' } = {}) =>
  `{"model": "m" ,"seed":12345678901234567890,"tools":${tools},"messages":[{"role":"user","content":"${text}", "x":1.0},` +
  `${call},{"role":"tool","tool_call_id":${result},"content":"é"}] }`;
const called = (name: string, input = '{}') =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(input)}}}]}`;
const tool = (name: string) => `[{"type":"function","function":{"name":"${name}"}}]`;
const LONG = 'n'.repeat(70);

test.each([true, false])(
  'keeps the bytes of requests that servers accept (compaction: %s)',
  async (compaction) => {
    const bodies = [
      request(called('bash', '{"a":"\\ud83d\\ude00 \\\\ud83d"}'), {
        text: '\\uD83D\\uDE00 \\\\ud83d \\u00e9',
      }),
      request(called('2-fast_')),
      request(called('functions.bash'), { tools: tool('functions.bash') }),
      request(called(LONG), { tools: tool(LONG), result: `"c1","name":"${LONG}"` }),
      '{"model":"m","messages":[{"role":"user","name":"A. Person","content":"Hi"},{"role":"assistant","tool_calls":[7,{"function":null}]}]}',
    ];
    expect(await bodiesSent(bodies, { compaction })).toEqual(bodies);
  },
);

test.each([true, false])(
  'fits names that no tool of the request has (compaction: %s)',
  async (compaction) => {
    const cases = [
      ['functions.bash', 'functions_bash'],
      ['bash<|channel|>commentary', 'bash_channel_commentary'],
      [LONG, LONG.slice(0, 64)],
      ['', '_'],
    ] as const;
    const tools = tool('my.tool');
    const bodyOf = (name: string) => request(called(name), { tools, result: `"c1","name":"${name}"` });
    const sent = await bodiesSent(
      cases.map(([name]) => bodyOf(name)),
      { compaction },
    );
    expect(sent).toEqual(cases.map(([, fitted]) => bodyOf(fitted)));
  },
);

test.each([true, false])('replaces surrogates without a pair (compaction: %s)', async (compaction) => {
  const pairs = '\\ud83d\\ude00';
  const bodies = [
    request(called('bash'), { text: `a\\ud83d ${pairs}\\uDE00\\\\\\ud83d` }),
    request(called('bash', `{"p":"\\ud83d ${pairs} \\\\ud83d"}`)),
  ];
  expect(await bodiesSent(bodies, { compaction })).toEqual([
    request(called('bash'), { text: `a\\ufffd ${pairs}\\ufffd\\\\\\ufffd` }),
    request(called('bash', `{"p":"\\ufffd ${pairs} \\\\ud83d"}`)),
  ]);
});

test.each([true, false])(
  'decompresses only a request that must change (compaction: %s)',
  async (compaction) => {
    const headers = { 'content-encoding': 'gzip' };
    const sound = gzipSync(request(called('bash')));
    const sent = await bodiesSent([gzipSync(request(called('functions.bash'))), sound], {
      compaction,
      headers,
    });
    expect(sent).toEqual([request(called('functions_bash')), sound.toString()]);
  },
);

test('fits the calls that a compacted request keeps', async () => {
  const old = Array.from(
    { length: 40 },
    (_, index) =>
      `{"role":"user","content":"Question ${index} ${'word '.repeat(100)}"},{"role":"assistant","content":"Answer ${index} \\ud83d"}`,
  );
  const body = `{"model":"m","messages":[${old.join()},{"role":"user","content":"Now"},${called('functions.bash')},{"role":"tool","tool_call_id":"c1","content":"ok"}]}`;
  const sent = await bodiesSent([body], { compaction: true, window: 4_096 });
  const last = sent.at(-1) ?? '';
  expect(last.length).toBeLessThan(body.length);
  expect(last).toContain(called('functions_bash'));
  for (const text of sent) expect(text).not.toMatch(/functions\.bash|\\ud83d/);
});
