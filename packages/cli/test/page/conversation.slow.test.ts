import { createClient } from '@longhaul/client';
import { type Script, userTexts } from '@longhaul/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench, sessionIdOf } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

/** Runs a command if the newest message is `run X`, writes slowly for `slow`, and answers all other messages. */
const script: Script = async ({ messages }) => {
  const asked = userTexts(messages).at(-1) ?? '';
  const isDone = messages.at(-1)?.role === 'tool';
  const command = /run (.*)/.exec(asked)?.[1];
  if (command !== undefined && !isDone)
    return { text: 'I run it.', toolCalls: [{ name: 'bash', arguments: { command } }] };
  if (asked.includes('write') && !isDone)
    return { toolCalls: [{ name: 'write', arguments: { path: 'notes.txt', content: 'one\ntwo\n' } }] };
  if (asked.includes('slow'))
    return { text: `${'word '.repeat(400)}END`, fault: { kind: 'slow', delayMs: 10 } };
  return `# Answer\n\nYou said **${asked}**.`;
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

describe.each(WIDTHS)('the page at %s width', (_, viewport) => {
  it('starts a session with its first message, and shows the answer as it streams', async () => {
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'Hello');
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await page.locator('strong', { hasText: 'Hello' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await page.context().close();
  });

  it('shows a command and its output', async () => {
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'run echo $((40+2)); exit 3');
    await page.getByRole('article').getByText('I run it.').waitFor();
    await bench.ended(sessionIdOf(page));
    const call = page.locator('details.tool').filter({ hasText: 'bash' });
    if ((await call.getAttribute('open')) === null) await call.locator('summary').first().click();
    await call.getByText('42').first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('queues messages while a run works, and stops the run with a button', async () => {
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'slow');
    await page.getByPlaceholder('Message will be queued…').waitFor();
    await page.getByText('word word').first().waitFor();
    await bench.say(page, 'and then this');
    await page.getByRole('button', { name: '1 queued' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByPlaceholder('Message the agent').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });
});

describe('what is stored is what is shown', () => {
  it('after the server was killed in the middle of an answer, and started again', async () => {
    const page = await bench.newPage();
    await bench.say(page, 'slow and killed');
    await page.getByText('word word').first().waitFor();
    const sessionId = sessionIdOf(page);
    await bench.killServer();
    await page.getByText('The server does not answer').waitFor();
    await bench.startServer();
    await bench.client.resume(sessionId);
    await bench.ended(sessionId);
    await expectShownAsStored(page, sessionId);
    await page.context().close();
  });

  it('when the network is cut in the middle of an answer', async () => {
    const page = await bench.newPage();
    await bench.say(page, 'slow and cut');
    await page.getByText('word word').first().waitFor();
    const sessionId = sessionIdOf(page);
    await page.context().setOffline(true);
    await bench.ended(sessionId);
    await page.context().setOffline(false);
    await page
      .getByRole('article')
      .getByText(/word END/)
      .waitFor();
    await expectShownAsStored(page, sessionId);
    await page.context().close();
  });

  it('when another process works on the session', async () => {
    const page = await bench.newPage();
    await bench.say(page, 'Hello');
    await page.locator('strong', { hasText: 'Hello' }).waitFor();
    const sessionId = sessionIdOf(page);
    await bench.ended(sessionId);
    const ended = await bench.bench.run(['run', '--session', sessionId, 'From another process']);
    expect(ended.code).toBe(0);
    await page.locator('strong', { hasText: 'From another process' }).waitFor();
    await expectShownAsStored(page, sessionId);
    await page.context().close();
  });

  it('in every tab of the session', async () => {
    const page = await bench.newPage();
    await bench.say(page, 'Hello');
    await page.locator('strong', { hasText: 'Hello' }).waitFor();
    const sessionId = sessionIdOf(page);
    const second = await bench.newPage({ context: page.context() });
    await bench.showSession(second, sessionId);
    await bench.say(second, 'From the second tab');
    await page.locator('strong', { hasText: 'From the second tab' }).waitFor();
    await expectShownAsStored(page, sessionId);
    await expectShownAsStored(second, sessionId);
    await page.context().close();
  });

  it('while 50 sessions stream at the same time', async () => {
    const page = await bench.newPage();
    const { client } = bench;
    const sessions = await Promise.all(Array.from({ length: 50 }, () => client.sessions.create({})));
    const [shown] = sessions;
    if (shown === undefined) throw new Error('no session');
    await bench.showSession(page, shown.id);
    await Promise.all(sessions.map(({ id }) => client.sendMessage(id, 'slow and many')));
    for (const { id } of sessions) await bench.ended(id);
    await page
      .getByRole('article')
      .getByText(/word END/)
      .waitFor();
    await expectShownAsStored(page, shown.id);
    await page.context().close();
  });
});

/** Each stored message is shown once, with its text, in order. */
async function expectShownAsStored(page: import('playwright-core').Page, sessionId: string): Promise<void> {
  const client = createClient({ baseUrl: bench.url, token: bench.token });
  const { messages } = await client.messages(sessionId, { limit: 200 });
  const stored = messages.map(({ sequence }) => sequence);
  const numbers = async () => {
    const articles = await page.getByRole('article').all();
    const labels = await Promise.all(articles.map((article) => article.getAttribute('aria-label')));
    return labels.map((label) => Number(/message (\d+)/.exec(label ?? '')?.[1]));
  };
  await expect.poll(numbers).toEqual(stored);
  for (const { sequence, parts } of messages) {
    const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ');
    const shown = page.getByRole('article', { name: new RegExp(`message ${sequence}$`) });
    const words = plain(text);
    await expect.poll(async () => plain((await shown.textContent()) ?? '')).toContain(words);
  }
}

/** Without Markdown's signs, blanks and line breaks. */
function plain(text: string): string {
  return text.replaceAll(/[#*`\s]/g, '');
}
