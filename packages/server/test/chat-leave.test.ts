import { expect, it } from 'vitest';
import { gate, pieces, startTestServer } from './test-server.ts';

it('answers a message that arrives before the disconnect of the previous stream (it waited for the cancelled run)', async () => {
  const never = gate();
  await using server = await startTestServer({
    play: (text, { signal }) =>
      text === 'slow'
        ? pieces('word '.repeat(50), { pause: () => never.wait(signal) })
        : pieces(`Heard ${text}.`),
  });
  const ask = (id: string, text: string, signal?: AbortSignal) =>
    server.fetch('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'chat', messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] }),
      signal,
    });
  const page = new AbortController();
  const first = await ask('one', 'slow', page.signal);
  const reader = first.body?.getReader();
  await expect
    .poll(async () => new TextDecoder().decode((await reader?.read())?.value))
    .toContain('text-delta');
  // The next message arrives before the connection of the first closes.
  const second = await ask('two', 'more');
  page.abort();
  const answer = await second.text();
  expect(answer).toContain('Heard');
  expect(answer).toMatch(/data: \[DONE\]\n\n$/);
});
