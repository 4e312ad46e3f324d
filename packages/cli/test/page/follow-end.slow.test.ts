import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filledSession, writeScript } from './filled-session.ts';
import { PageBench } from './page-bench.ts';

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script: writeScript });
});
afterAll(() => bench[Symbol.asyncDispose]());

it('keeps the end in view if the conversation shrinks and grows again before the scroll is reported', async () => {
  const page = await pageOfLongSession();
  await page.evaluate(`{
    const list = document.querySelector('.conversation').firstElementChild;
    const height = list.style.height;
    list.style.height = parseFloat(height) - 500 + 'px';
    list.offsetHeight;
    list.style.height = height;
  }`);
  await expectScrollReported(page);
  await expectAtEnd(page);
  expect(await newest(page).count()).toBe(0);
  await page.context().close();
});

it('leaves the end with a scroll by the reader, such as to a word that was found', async () => {
  const page = await pageOfLongSession();
  await page.evaluate("document.querySelector('.conversation').scrollTop -= 500");
  await newest(page).click();
  await expectAtEnd(page);
  await page.locator('.conversation').hover();
  await page.mouse.wheel(0, -50);
  await newest(page).click();
  await expectAtEnd(page);
  await page.context().close();
});

async function pageOfLongSession(): Promise<Page> {
  const page = await bench.newPage();
  await bench.showSession(page, await filledSession(bench));
  await page.getByRole('article').getByText('Done: write three').waitFor();
  await expectAtEnd(page);
  return page;
}

const newest = (page: Page) => page.getByRole('button', { name: 'Newest' });

/** Waits until the browser has reported the scroll, and what follows it is drawn. */
async function expectScrollReported(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))',
  );
}

async function expectAtEnd(page: Page): Promise<void> {
  const left = `{
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.conversation');
    scrollHeight - scrollTop - clientHeight;
  }`;
  await expect.poll(() => page.evaluate<number>(left)).toBeLessThanOrEqual(2);
}
