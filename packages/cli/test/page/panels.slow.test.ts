import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Script, userTexts } from '@longhaul/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, DESKTOP, PageBench, PHONE, sessionIdOf } from './page-bench.ts';

/** Writes a file for `write X`, and answers all other messages with many words. */
const script: Script = ({ messages, asksForSummary }) => {
  if (asksForSummary) return 'The user wrote files.';
  const asked = userTexts(messages).at(-1) ?? '';
  const command = /ask (.*)/.exec(asked)?.[1];
  if (command !== undefined && messages.at(-1)?.role !== 'tool')
    return { toolCalls: [{ name: 'bash', arguments: { command } }] };
  const text = /write (.*)/.exec(asked)?.[1];
  if (text !== undefined && messages.at(-1)?.role !== 'tool')
    return { toolCalls: [{ name: 'write', arguments: { path: 'notes.txt', content: `${text}\n` } }] };
  return `Done: ${asked}. ${'Many words fill the window. '.repeat(150)}`;
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({
    script,
    windowTokens: 16_000,
    approvals: '[{ tool: "*", action: allow }, { tool: bash, action: ask }]',
  });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures).toEqual([]));

/** A session of three turns, each of which writes the file. */
async function filledSession(): Promise<string> {
  const { client } = bench;
  const { id } = await client.sessions.create({ title: 'Filled' });
  for (const text of ['write one', 'write two', 'write three']) {
    await client.sendMessage(id, text);
    await bench.ended(id);
  }
  return id;
}

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('at %s width', (_, viewport) => {
  it('shows what fills the window, previews and makes a compaction, shows it and undoes it', async () => {
    const sessionId = await filledSession();
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId, '?panel=context');
    await page.getByText('Tool descriptions').first().waitFor();
    await page.getByText('Tokens of each request').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Preview a compaction…' }).click();
    const preview = page.getByRole('dialog', { name: 'Compact the context' });
    await preview.getByText(/Hides \d+ message/).waitFor();
    await preview.getByRole('button', { name: 'Compact now' }).click();
    const toast = page.getByRole('dialog').filter({ hasText: /Context compacted: .+ → .+ tokens/ });
    await toast.getByRole('button', { name: 'Details' }).click();
    const details = page.getByRole('dialog', { name: 'Compaction' });
    await details.getByRole('heading', { name: 'Ledger' }).waitFor();
    await details.getByText('The user wrote files.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await details.getByRole('button', { name: 'Undo the newest compaction' }).click();
    await page
      .getByText(/Compaction \d+ undone/)
      .first()
      .waitFor();
    const { hidden } = await bench.client.context(sessionId);
    expect(hidden).toEqual([]);
    await page.context().close();
  });

  it('shows changed files, and reverts them with a preview', async () => {
    const sessionId = await filledSession();
    const file = join(bench.bench.workspace, 'notes.txt');
    expect(await readFile(file, 'utf8')).toBe('three\n');
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId, '?panel=files');
    const panel = page.getByRole('complementary', { name: 'Changed files' });
    await panel.getByLabel('Changes of').selectOption({ index: 1 });
    await panel.locator('.changed-file summary').first().click();
    await panel.locator('.diff-line.added').filter({ hasText: 'three' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Browse the recorded files…' }).click();
    const recorded = page.getByRole('dialog', { name: /^Files after m\d+/ });
    await recorded.getByRole('button', { name: 'notes.txt' }).click();
    await recorded.getByText('three').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Revert to before this turn…' }).click();
    const dialog = page.getByRole('dialog', { name: /Revert to before m\d+/ });
    await dialog.getByText(/Restores 1 file/).waitFor();
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await expect.poll(() => readFile(file, 'utf8')).toBe('two\n');
    await dialog.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Undo the newest revert' }).click();
    await expect.poll(() => readFile(file, 'utf8')).toBe('three\n');
    await page.context().close();
  });
});

describe('approvals', () => {
  it('are asked for in a dialog and in the inbox, and can be denied with a reason', async () => {
    const { client } = bench;
    const page = await bench.newPage();
    await page.goto(`${bench.url}/#/inbox`);
    await page.getByText('No agent waits for an approval.').waitFor();
    const { id } = await client.sessions.create({ title: 'Asks' });
    await client.sendMessage(id, 'ask rm -r data');
    const request = page.getByRole('listitem').filter({ hasText: 'rm -r data' });
    await request.getByRole('link', { name: 'Asks' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await bench.showSession(page, id);
    const dialog = page.getByRole('dialog', { name: 'Approve this?' });
    await dialog.getByText('rm -r data', { exact: true }).waitFor();
    await dialog.getByLabel(/Reason/).fill('The data is needed.');
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await dialog.waitFor({ state: 'detached' });
    await bench.ended(id);
    const { approvals } = await client.approvals.list(id);
    expect(approvals).toMatchObject([{ answer: 'deny', reason: 'The data is needed.' }]);
    await page.context().close();
  });
});

describe('settings', () => {
  it('keep the Context Pruning Agent over a restart of the server', async () => {
    const page = await bench.newPage();
    await page.goto(`${bench.url}/#/settings`);
    const choice = page.getByLabel('Context Pruning Agent');
    expect(await choice.inputValue()).toBe('__same__');
    await choice.selectOption({ label: 'local/scripted' });
    await page.getByText(/Saved\. Context Pruning Agent/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await bench.killServer();
    await bench.startServer();
    await page.reload();
    await expect.poll(() => page.getByLabel('Context Pruning Agent').inputValue()).toBe('local/scripted');
    await page.getByLabel('Context Pruning Agent').selectOption('__same__');
    await page.getByText(/Saved\. Context Pruning Agent/).waitFor();
    await page.context().close();
  });
});

describe('sessions', () => {
  it('are found by the words of their messages, renamed, deleted and restored', async () => {
    const sessionId = await filledSession();
    await bench.client.sessions.update(sessionId, { title: 'To be deleted' });
    const page = await bench.newPage();
    await page.getByPlaceholder('Search in all sessions').fill('Many words fill');
    await page
      .getByRole('link', { name: /Many words fill/ })
      .first()
      .click();
    await page.waitForURL(/message=m\d+/);
    await page.getByPlaceholder('Search in all sessions').fill('');
    await bench.showSession(page, sessionId);
    expect(sessionIdOf(page)).toBe(sessionId);
    const menu = page.getByRole('navigation').getByRole('button', { name: /To be deleted/ });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await bench.client.sessions.get(sessionId)).title).toBe('To be deleted');
    await page.context().close();
  });

  it('are imported by a dropped file, and replayed', async () => {
    const sessionId = await filledSession();
    const exported = JSON.stringify(await bench.client.sessions.export(sessionId));
    const file = join(bench.bench.root, 'recorded.json');
    await writeFile(file, exported);
    const page = await bench.newPage();
    await page.goto(`${bench.url}/#/replay`);
    await page.getByLabel('Window').selectOption('8192');
    await page.locator('.drop-place input[type=file]').setInputFiles(file);
    await page
      .getByText(/reactive-overflow|fits a window/)
      .first()
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });
});

describe('the keyboard', () => {
  it('opens the palette, which leads to every page', async () => {
    const page = await bench.newPage();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.getByRole('combobox').fill('settings');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });
});
