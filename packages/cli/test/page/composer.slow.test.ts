import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Script, userTexts } from '@longhaul/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench, sessionIdOf } from './page-bench.ts';
import { clipboardText, dropFiles, IMAGE, messageAt, pasteFiles, textFile, WIDTHS } from './page-gestures.ts';

/** Refuses `busy`, never ends for `endless`, and answers all other messages. */
const script: Script = ({ messages }) => {
  const asked = userTexts(messages).at(-1) ?? '';
  if (asked.includes('busy'))
    return { fault: { kind: 'status', status: 429, retryAfterMs: 60_000, message: 'Too many requests' } };
  if (asked.includes('endless'))
    return { text: `${'word '.repeat(20)}END`, fault: { kind: 'silence', afterChunks: 6 } };
  return `You said **${asked.split('\n')[0]}**.\n\n\`\`\`ts\nconst answer = 42;\n\`\`\``;
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

const COMPOSER = '.composer-text';

describe.each(WIDTHS)('the composer at %s width', (_, viewport) => {
  it('attaches dropped, pasted and picked files, and sends them with the message', async () => {
    const page = await bench.newPage({ viewport });
    const attached = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
    await dropFiles(page, COMPOSER, [textFile('dropped.txt', 'dropped text'), IMAGE]);
    await attached.filter({ hasText: 'red.png' }).waitFor();
    await pasteFiles(page, COMPOSER, [textFile('pasted.txt', 'pasted text')]);
    await attached.filter({ hasText: 'pasted.txt' }).waitFor();
    const picked = join(bench.bench.root, 'picked.txt');
    await writeFile(picked, 'picked text');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach files' }).click();
    await (await chooser).setFiles(picked);
    await attached.filter({ hasText: 'picked.txt' }).waitFor();
    await dropFiles(page, COMPOSER, [textFile('removed.txt', 'removed text')]);
    await page.getByRole('button', { name: 'Remove removed.txt' }).click();
    await expect.poll(() => attached.count()).toBe(4);
    expect(await accessibilityFaults(page)).toEqual([]);
    await bench.say(page, 'Look at these');
    await page.locator('strong', { hasText: 'Look at these' }).waitFor();
    const { messages } = await bench.client.messages(sessionIdOf(page), { limit: 10 });
    const parts = messages[0]?.parts ?? [];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'text', 'file', 'text', 'text']);
    const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
    expect(texts).toMatch(/dropped text.*pasted text.*picked text/s);
    expect(texts).not.toContain('removed');
    await page.context().close();
  });

  it('refuses a file that no model can read, and keeps the text', async () => {
    const page = await bench.newPage({ viewport });
    const composer = page.getByLabel('Message', { exact: true });
    await composer.fill('Look');
    await dropFiles(page, COMPOSER, [textFile('program', 'a\0b')]);
    await page
      .getByText(/program cannot be attached/)
      .first()
      .waitFor();
    expect(await composer.inputValue()).toBe('Look');
    expect(await accessibilityFaults(page)).toEqual([]);
    await composer.fill('');
    await page.context().close();
  });

  it('shows an image of a message, and larger when it is pressed', async () => {
    const page = await bench.newPage({ viewport });
    await dropFiles(page, COMPOSER, [IMAGE]);
    await page.getByRole('button', { name: `Remove ${IMAGE.name}` }).waitFor();
    await bench.say(page, 'Look at this');
    const shown = messageAt(page, 1).getByRole('button', { name: 'Show the image larger' });
    await shown.click();
    const lightbox = page.getByRole('dialog');
    await lightbox.getByRole('img').waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('.lightbox-image').naturalWidth")).toBe(64);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await lightbox.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('copies an answer, its code and the link to a message, which opens at the message', async () => {
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'Hello');
    const answer = messageAt(page, 2);
    await answer.locator('strong', { hasText: 'Hello' }).waitFor();
    await bench.ended(sessionIdOf(page));
    await answer.hover();
    await answer.getByRole('button', { name: 'Copy message' }).click();
    await expect.poll(() => clipboardText(page)).toContain('You said **Hello**.');
    await answer.getByRole('button', { name: 'Copy code' }).click();
    await expect.poll(() => clipboardText(page)).toBe('const answer = 42;');
    await answer.getByRole('button', { name: 'Copy link to this message' }).click();
    await expect.poll(() => clipboardText(page)).toMatch(/^http:.*[?&]message=m2$/);
    await page.goto(await clipboardText(page));
    await page.locator('article[aria-current=location]').filter({ hasText: 'You said' }).waitFor();
    await page.context().close();
  });

  it('counts the seconds until a refused request is sent again', async () => {
    const page = await bench.newPage({ viewport });
    await page.clock.install();
    await bench.say(page, 'busy');
    const countdown = page.getByText(/Next try in \d+ s/);
    await countdown.waitFor();
    await page.getByText(/Attempt 1 failed: .*(429|Too many requests|limit)/i).waitFor();
    const seconds = async () =>
      Number(/Next try in (\d+) s/.exec((await countdown.textContent()) ?? '')?.[1]);
    const first = await seconds();
    expect(first).toBeGreaterThan(25);
    await page.clock.fastForward(20_000);
    await expect.poll(seconds).toBeLessThanOrEqual(first - 20);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByPlaceholder('Message the agent').waitFor();
    await page.context().close();
  });

  it('queues messages, which can be edited, moved, removed and sent at once', async () => {
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'endless');
    await page.getByPlaceholder('Message will be queued…').waitFor();
    await page.getByText('word word').first().waitFor();
    const sessionId = sessionIdOf(page);
    for (const text of ['first', 'second', 'third']) await bench.say(page, text);
    await page.getByRole('button', { name: '3 queued' }).click();
    const dialog = page.getByRole('dialog', { name: 'Queued messages' });
    const shown = () => dialog.locator('.queue-text').allTextContents();
    expect(await accessibilityFaults(page)).toEqual([]);

    await dialog.getByRole('button', { name: 'Edit message 1' }).click();
    await dialog.getByLabel('Message 1', { exact: true }).fill('first, changed');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(shown).toEqual(['first, changed', 'second', 'third']);
    await dialog.getByRole('button', { name: 'Move message 3 up' }).click();
    await expect.poll(shown).toEqual(['first, changed', 'third', 'second']);
    await dialog.getByRole('button', { name: 'Remove message 3' }).click();
    await expect.poll(shown).toEqual(['first, changed', 'third']);
    await dialog.getByRole('button', { name: 'Move message 2 up' }).press('Alt+ArrowUp');
    await expect.poll(shown).toEqual(['third', 'first, changed']);
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'third' })
      .getByRole('button', { name: 'Send now' })
      .click();
    await page.locator('strong', { hasText: 'third' }).waitFor();
    await bench.ended(sessionId);
    expect((await bench.client.queue.list(sessionId)).messages).toEqual([]);
    await page.context().close();
  });
});
