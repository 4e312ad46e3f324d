import { type Script, userTexts } from '@longhaul/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

/** Runs the command of `run X`, writes a file for `write X`, and then repeats what the newest tool has returned. */
const script: Script = ({ messages }) => {
  const newest = messages.at(-1);
  if (newest?.role === 'tool') return `The tool returned: ${JSON.stringify(newest.content)}`;
  const [, kind, rest = ''] = /(run|write) (.*)/.exec(userTexts(messages).at(-1) ?? '') ?? [];
  if (kind === 'run') return { toolCalls: [{ name: 'bash', arguments: { command: rest } }] };
  if (kind === 'write')
    return { toolCalls: [{ name: 'write', arguments: { path: 'notes.txt', content: `${rest}\n` } }] };
  return 'Nothing to do.';
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script, approvals: '[{ tool: "*", action: ask }]' });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

describe.each(WIDTHS)('approvals at %s width', (width, viewport) => {
  it('show the command, and allow it once', async () => {
    const page = await bench.newPage({ viewport });
    const id = await bench.newSession('Once', 'run echo one $((1+1))');
    await bench.showSession(page, id);
    const dialog = page.getByRole('dialog', { name: 'Approve this?' });
    await dialog.getByText('echo one $((1+1))', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Once' }).click();
    await page
      .getByRole('article')
      .getByText(/The tool returned: .*one 2/)
      .waitFor();
    await bench.ended(id);
    await dialog.waitFor({ state: 'detached' });
    await bench.client.sendMessage(id, 'run echo one $((1+1))');
    await dialog.getByText('echo one $((1+1))', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await dialog.waitFor({ state: 'detached' });
    await bench.ended(id);
    await page.context().close();
  });

  it('show a change as a diff, and can be put off', async () => {
    const page = await bench.newPage({ viewport });
    const id = await bench.newSession('Write', `write a line of ${width}`);
    await bench.showSession(page, id);
    const dialog = page.getByRole('dialog', { name: 'Approve this?' });
    await dialog
      .locator('.diff-line.added')
      .filter({ hasText: `a line of ${width}` })
      .waitFor();
    await dialog.getByText('path: notes.txt').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Waiting for your approval…').waitFor();
    await page.getByRole('button', { name: 'The agent waits for your approval' }).click();
    await dialog.getByRole('button', { name: 'Once' }).click();
    await bench.ended(id);
    await page.context().close();
  });

  it('name the rule of Always, after which later calls of the session need no approval', async () => {
    const page = await bench.newPage({ viewport });
    const id = await bench.newSession('Always', 'run ls');
    await bench.showSession(page, id);
    const dialog = page.getByRole('dialog', { name: 'Approve this?' });
    await dialog.getByText(/“Always” allows “.*ls.*” in this session without asking/).waitFor();
    await dialog.getByRole('button', { name: 'Always' }).click();
    await page
      .getByRole('article')
      .getByText(/The tool returned:/)
      .waitFor();
    await bench.ended(id);
    await bench.say(page, 'run ls');
    await expect
      .poll(() =>
        page
          .getByRole('article')
          .getByText(/The tool returned:/)
          .count(),
      )
      .toBe(2);
    await bench.ended(id);
    const { approvals } = await bench.client.approvals.list(id);
    expect(approvals).toMatchObject([{ answer: 'always' }]);
    await bench.say(page, 'run pwd');
    await dialog.getByText('pwd', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await dialog.waitFor({ state: 'detached' });
    await bench.ended(id);
    await page.context().close();
  });

  it('give the reason of a denial to the agent', async () => {
    const page = await bench.newPage({ viewport });
    const id = await bench.newSession('Denied', 'run rm -r data');
    await bench.showSession(page, id);
    const dialog = page.getByRole('dialog', { name: 'Approve this?' });
    await dialog.getByLabel(/Reason/).fill('The data is needed.');
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await page
      .getByRole('article')
      .getByText(/The tool returned: .*The data is needed\./)
      .waitFor();
    await page.context().close();
  });

  it('of all sessions are in one inbox, and counted in the title of the tab', async () => {
    const page = await bench.newPage({ viewport });
    const other = await bench.newPage({ context: page.context() });
    await other.goto(`${bench.url}/#/settings`);
    await page.goto(`${bench.url}/#/inbox`);
    await page.getByText('No agent waits for an approval.').waitFor();
    expect(await page.title()).toBe('Approvals · Longhaul');
    const first = await bench.newSession(`First ${width}`, 'run echo from the first');
    const second = await bench.newSession(`Second ${width}`, 'run echo from the second');
    const requests = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'Once', exact: true }) });
    await expect.poll(() => requests.count()).toBe(2);
    await expect.poll(() => page.title()).toBe('(2) Approvals · Longhaul');
    await expect.poll(() => other.title()).toBe('(2) Settings · Longhaul');
    expect(await accessibilityFaults(page)).toEqual([]);
    await requests
      .filter({ hasText: `First ${width}` })
      .getByRole('button', { name: 'Once' })
      .click();
    await bench.ended(first);
    await expect.poll(() => page.title()).toBe('(1) Approvals · Longhaul');
    await requests
      .filter({ hasText: `Second ${width}` })
      .getByRole('button', { name: 'Deny' })
      .click();
    await bench.ended(second);
    await page.getByText('No agent waits for an approval.').waitFor();
    await expect.poll(() => other.title()).toBe('Settings · Longhaul');
    await page.context().close();
  });
});
