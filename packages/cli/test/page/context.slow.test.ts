import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { filledSession, writeScript } from './filled-session.ts';
import { accessibilityFaults, PageBench } from './page-bench.ts';
import { messageAt, WIDTHS } from './page-gestures.ts';

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script: writeScript, windowTokens: 16_000 });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

/** Makes a compaction by hand, and returns its toast. */
async function compact(page: Page) {
  await page.getByRole('button', { name: 'Preview a compaction…' }).click();
  const preview = page.getByRole('dialog', { name: 'Compact the context' });
  await preview.getByRole('list', { name: 'Hidden messages' }).getByRole('link').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await preview.getByRole('button', { name: 'Compact now' }).click();
  return page.getByRole('dialog').filter({ hasText: /Context compacted: [\d.]+k → [\d.]+k tokens/ });
}

/** The first message that a compaction would hide, and its handle. */
async function firstHidden(page: Page, sessionId: string) {
  const preview = await bench.client.compact(sessionId, { preview: true });
  const handle = preview.status === 'preview' ? preview.hides.ranges[0]?.from : undefined;
  if (handle === undefined) throw new Error('Nothing would be hidden');
  return { handle, message: messageAt(page, Number(handle.slice(1))) };
}

describe.each(WIDTHS)('the context at %s width', (_, viewport) => {
  it('marks hidden messages, which stay readable, and shows them again after Undo in the toast', async () => {
    const sessionId = await filledSession(bench);
    const page = await bench.newPage({ viewport });
    const { handle, message } = await firstHidden(page, sessionId);
    await bench.showSession(page, sessionId, '?panel=context');
    const toast = await compact(page);
    await toast.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByRole('button', { name: 'Close the panel' }).click();
    await page.getByRole('button', { name: /^Context compacted:.*hidden from the model/ }).waitFor();
    await bench.showSession(page, sessionId, `?message=${handle}`);
    await message.getByText('hidden from the model by a compaction').waitFor();
    await message
      .getByText(/notes\.txt|Done: write/)
      .first()
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await toast.getByRole('button', { name: 'Undo' }).click();
    await page
      .getByText(/Compaction \d+ undone/)
      .first()
      .waitFor();
    await message.getByText('hidden from the model by a compaction').waitFor({ state: 'detached' });
    expect((await bench.client.context(sessionId)).hidden).toEqual([]);
    await page.context().close();
  });

  it('keeps a pinned message in a compaction, until it is unpinned', async () => {
    const sessionId = await filledSession(bench);
    const page = await bench.newPage({ viewport });
    const { handle, message } = await firstHidden(page, sessionId);
    await bench.showSession(page, sessionId, `?message=${handle}`);
    await message.hover();
    await message.getByRole('button', { name: /^Pin:/ }).click();
    await message.getByText('pinned', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Context', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Context' });
    await panel.getByRole('link', { name: handle, exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await (await compact(page)).waitFor();
    const { messages } = await bench.client.messages(sessionId, { limit: 20 });
    const pinned = messages.filter(({ visibility }) => visibility.isPinned);
    expect(pinned.map(({ visibility }) => visibility.handle)).toEqual([handle]);
    expect(pinned[0]?.visibility.hiddenBy).toBeUndefined();
    await panel.getByRole('button', { name: `Unpin ${handle}` }).click();
    await panel.getByText('Pin a message to keep it in every request.').waitFor();
    await page.context().close();
  });
});

describe.each(WIDTHS)('files at %s width', (_, viewport) => {
  it('open from the change in a message, and are reverted with or without the conversation', async () => {
    const sessionId = await filledSession(bench);
    const file = join(bench.bench.workspace, 'notes.txt');
    const page = await bench.newPage({ viewport });
    const { messages } = await bench.client.messages(sessionId, { limit: 20 });
    const changed = messages.findLast(({ parts }) => parts.some(({ type }) => type === 'patch'));
    await bench.showSession(page, sessionId, `?message=${changed?.visibility.handle}`);
    await page
      .locator('[aria-current=location]')
      .getByRole('link', { name: /Files: / })
      .click();
    const panel = page.getByRole('complementary', { name: 'Changed files' });
    await panel
      .getByLabel('Changes of')
      .locator('option:checked', { hasText: 'write three' })
      .waitFor({ state: 'attached' });
    await panel.getByRole('button', { name: 'Revert to before this turn…' }).click();
    const dialog = page.getByRole('dialog', { name: /Revert to before m\d+/ });
    await dialog.getByLabel('Files only').check();
    await dialog.getByText(/Restores 1 file and hides 0 messages/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    const toast = page.getByRole('dialog').filter({ hasText: 'Reverted 1 file.' });
    await toast.waitFor();
    expect(await readFile(file, 'utf8')).toBe('two\n');
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readFile(file, 'utf8')).toBe('three\n');
    await page.context().close();
  });

  it('of somebody else are kept by a revert, also if they change while its dialog is open', async () => {
    const sessionId = await filledSession(bench);
    const file = join(bench.bench.workspace, 'notes.txt');
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId, '?panel=files');
    const panel = page.getByRole('complementary', { name: 'Changed files' });
    await panel.getByLabel('Changes of').selectOption({ index: 1 });
    await panel.getByRole('button', { name: 'Revert to before this turn…' }).click();
    const dialog = page.getByRole('dialog', { name: /Revert to before m\d+/ });
    await dialog.getByText(/Restores \d+ file/).waitFor();
    await writeFile(file, 'mine\n');
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await dialog.getByRole('heading', { name: 'Changed by somebody else' }).waitFor();
    await dialog.getByLabel('stay as they are').check();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readFile(file, 'utf8')).toBe('mine\n');
    await page.context().close();
  });
});
