import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { filledSession, writeScript } from './filled-session.ts';
import { accessibilityFaults, PageBench } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script: writeScript, windowTokens: 16_000 });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

it('shows the same fill of the window in the list and in the header of a session', async () => {
  const sessionId = await filledSession(bench);
  const page = await bench.newPage();
  await bench.showSession(page, sessionId);
  const line = page.getByRole('navigation', { name: 'Sessions' }).locator('[aria-current=page]');
  const percents = () =>
    Promise.all(
      [line, page.locator('.context-meter')].map(
        async (place) => /\d+ %/.exec((await place.textContent()) ?? '')?.[0],
      ),
    );
  await expect.poll(async () => new Set(await percents()).size).toBe(1);
  expect((await percents())[0]).toMatch(/\d/);
  await page.context().close();
});

describe.each(WIDTHS)('at %s width', (_, viewport) => {
  it('shows what fills the window, previews and makes a compaction, shows it and undoes it', async () => {
    const sessionId = await filledSession(bench);
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
    const sessionId = await filledSession(bench);
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

describe.each(WIDTHS)('settings at %s width', (_, viewport) => {
  it('keep the Context Pruning Agent over a restart of the server', async () => {
    const page = await bench.newPage({ viewport });
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

  it('change strategy, trigger and automatic compaction, and show the origin of each value', async () => {
    const page = await bench.newPage({ viewport });
    await page.goto(`${bench.url}/#/settings`);
    await page.getByLabel('Strategy').selectOption('middle-removal');
    await page.getByText('Saved. Strategy: middle-removal').waitFor();
    await page.getByLabel('Trigger').selectOption({ label: 'At a share of the window' });
    await page.getByText('Saved. Trigger: At a share of the window').waitFor();
    await page.getByLabel('Automatic compaction').click();
    await page.getByText('Saved. Automatic compaction: off').waitFor();
    const { compression } = await bench.client.settings.get();
    expect(compression).toMatchObject({
      strategy: 'middle-removal',
      trigger: { threshold: 0.8 },
      auto: false,
    });
    await page.reload();
    await expect.poll(() => page.getByLabel('Strategy').inputValue()).toBe('middle-removal');
    expect(await page.getByLabel('Automatic compaction').isChecked()).toBe(false);
    for (const [table, text] of [
      ['Agents', 'coder'],
      ['Models', 'local/scripted'],
      ['Providers', 'local'],
    ] as const)
      await page
        .getByRole('region', { name: `Table: ${table}` })
        .getByText(text, { exact: true })
        .first()
        .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await bench.client.settings.set({ compression: { strategy: null, trigger: null, auto: null } });
    await page.context().close();
  });
});

describe.each(WIDTHS)('the palette at %s width', (width, viewport) => {
  it('leads to sessions, pages, panels and themes, and closes with Escape', async () => {
    const page = await bench.newPage({ viewport });
    const { id } = await bench.client.sessions.create({ title: `Named ${width}` });
    const palette = page.getByRole('dialog', { name: 'Palette' });
    const choose = async (words: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(words);
      await palette.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await palette.waitFor({ state: 'detached' });
    };
    await choose('settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Control+k');
    await palette.getByRole('option', { name: `Named ${width}` }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await choose(`named ${width}`);
    await page.waitForURL((url) => url.hash.includes(id));
    await choose('branches');
    await page.getByRole('complementary', { name: 'Branches' }).waitFor();
    await choose('dark theme');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });
});
