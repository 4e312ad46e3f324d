import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const KEY = 'sk-secret-of-this-machine-1234567';

it('longhaul context --request prints the next request as text, and as JSON the request of the API', async () => {
  await using bench = await Bench.open();
  const sent: { messages: readonly unknown[]; tools: unknown }[] = [];
  const { flags } = await bench.serve({
    script: ({ number, messages, tools }) => {
      sent.push({ messages, tools });
      if (number > 1) return 'No file has this name.';
      return { text: 'I look.', toolCalls: [{ name: 'glob', arguments: { pattern: 'step-*' } }] };
    },
  });
  await bench.call(['run', `Find the file. Not a task: ${KEY}`, '--sandbox', 'local', '-q', ...flags]);
  const requests = sent.length;
  const env = { LONGHAUL_API_KEY: KEY };

  const text = await bench.call(['context', 'last', '--request'], { env });
  expect(text.code).toBe(0);
  const headings = text.stdout.split('\n').filter((line) => line.startsWith('=== '));
  expect(headings).toEqual([
    '=== system',
    expect.stringMatching(/^=== \d+ tools \(--json has their schemas\)$/),
    '=== user (m1)',
    '=== assistant (m2)',
    '=== assistant (m3)',
  ]);
  expect(text.stdout).toContain('I look.\n\n--- call glob {"pattern":"step-*"}\n--- result\n');
  expect(text.stdout).toContain(`Not a task: ${'*'.repeat(KEY.length)}`);

  const json = await bench.call(['context', 'last', '--request', '--json'], { env });
  expect(json).toMatchObject({ code: 0, stderr: '' });
  expect(json.stdout).not.toContain(KEY);
  const { url, body } = JSON.parse(json.stdout);
  expect(url).toMatch(/^http:.*\/chat\/completions$/);
  // The answer of the run follows what its last request had.
  const last = JSON.parse(JSON.stringify(sent.at(-1)).replaceAll(KEY, '*'.repeat(KEY.length)));
  expect(body.messages.slice(0, last.messages.length)).toEqual(last.messages);
  expect(body.messages.slice(last.messages.length)).toMatchObject([
    { role: 'assistant', content: 'No file has this name.' },
  ]);
  expect(body.tools).toEqual(last.tools);
  expect(sent).toHaveLength(requests);
});
