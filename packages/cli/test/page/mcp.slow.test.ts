import { fileURLToPath } from 'node:url';
import { type Script, userTexts } from '@longhaul/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

/** Calls the tool of `call X`, and then repeats what it has returned. */
const script: Script = ({ messages }) => {
  const newest = messages.at(-1);
  if (newest?.role === 'tool') return `The tool returned: ${JSON.stringify(newest.content)}`;
  const [, name] = /call (\w+)/.exec(userTexts(messages).at(-1) ?? '') ?? [];
  return name === undefined ? 'Nothing to do.' : { toolCalls: [{ name, arguments: {} }] };
};

const program = fileURLToPath(new URL('../../../mcp/test/asking-server.ts', import.meta.url));
const servers = {
  asking: { command: process.execPath, args: [program] },
  absent: { command: 'no-such-program-anywhere' },
  unused: { command: 'x', enabled: false },
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({
    script,
    approvals: '[{ tool: "asking_*", action: allow }]',
    more: `mcp: ${JSON.stringify({ servers })}\n`,
  });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

describe.each(WIDTHS)('MCP servers at %s width', (width, viewport) => {
  it('ask for values with a form, which explains a value that does not fit', async () => {
    const page = await bench.newPage({ viewport });
    const id = await bench.newSession(`Order ${width}`, 'call asking_order');
    await bench.showSession(page, id);
    const form = page.getByRole('dialog').filter({ hasText: 'The MCP server asking asks' });
    // The server sends a control sequence.
    await form.getByText('Order a pizza?', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const [who, count, size] = [/^Name: who gets it/, /^count/, /^size/].map((name) => form.getByLabel(name));
    await form.getByRole('button', { name: 'Answer' }).click();
    await form.getByRole('alert').filter({ hasText: 'who needs a value.' }).waitFor();
    await who?.fill('Ada');
    await count?.fill('two');
    await size?.fill('large');
    await form.getByRole('button', { name: 'Answer' }).click();
    await form.getByRole('alert').filter({ hasText: 'count must be a whole number.' }).waitFor();
    await count?.fill('2');
    await count?.press('Enter');
    await form.waitFor({ state: 'detached' });
    const result = page.getByRole('article').getByText(/The tool returned:/);
    await result.filter({ hasText: /Ada.*count.*2.*large/ }).waitFor();
    await bench.ended(id);
    const { approvals } = await bench.client.approvals.list(id);
    expect(approvals).toMatchObject([{ answer: 'once', content: { who: 'Ada', count: 2, size: 'large' } }]);
    await page.context().close();
  });

  it('get the reason if the person declines', async () => {
    const page = await bench.newPage({ viewport });
    const id = await bench.newSession(`Confirm ${width}`, 'call asking_confirm');
    await bench.showSession(page, id);
    const form = page.getByRole('dialog').filter({ hasText: 'The MCP server asking asks' });
    await form.getByRole('button', { name: 'Decline' }).click();
    await form.waitFor({ state: 'detached' });
    await page
      .getByRole('article')
      .getByText(/The tool returned: .*the person declined/)
      .waitFor();
    await bench.ended(id);
    await page.context().close();
  });

  it('are in the settings, with their states, their tools and their errors', async () => {
    const page = await bench.newPage({ viewport });
    const sessionId = await bench.newSession(`Settings ${width}`, 'Hello');
    // The page shows how they are when it is opened.
    const states = async () => (await bench.client.mcp.list({ sessionId })).servers.map(({ state }) => state);
    await expect.poll(states).toEqual(['ready', 'failed', 'off']);
    await page.goto(`${bench.url}/#/settings`);
    const table = page.getByRole('region', { name: 'Table: MCP servers' });
    const row = (name: string) => table.getByRole('row').filter({ hasText: name });
    await row('asking')
      .filter({ hasText: /ready.*order, confirm, nag.*tokens in every request/ })
      .waitFor();
    await row('absent').filter({ hasText: 'There is no program "no-such-program-anywhere"' }).waitFor();
    await row('unused').filter({ hasText: 'turned off' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });
});
