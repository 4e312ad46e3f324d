import type { Browser, Page } from 'playwright-core';
import { median } from '../median.ts';
import type { Serving } from '../server/serving.ts';
import { openPage } from './open-page.ts';

export const MESSAGES = 10_000;
const LOADS = 5;
/** Everything that a page loads late has arrived. */
const LATE_MS = 1_000;

/** Opens the long session, and returns the time in the page at which that began. */
type Opening = (page: Page, serving: Serving) => Promise<number>;

/** With an empty cache: the time includes the loading and compiling of the page. */
export const load: Opening = async (page, { url }) => {
  await page.goto(`${url}/#/session/long`, { waitUntil: 'commit' });
  return 0;
};

/** In a page that shows the list of sessions. */
export const click: Opening = async (page, { url }) => {
  await page.goto(url);
  const line = page.locator('a[href*="session/long"]').first();
  await line.waitFor();
  await page.waitForTimeout(LATE_MS);
  await page.evaluate("addEventListener('click', (event) => (window.clickedAt = event.timeStamp), true)");
  await line.click();
  return page.evaluate<number>('window.clickedAt');
};

/** Until the frame after the one that has the last message. The page notes the time, because asking it takes longer. */
export async function endShown(
  browser: Browser,
  serving: Serving,
  open: Opening,
): Promise<{ ms: number; fastestMs: number }> {
  const times: number[] = [];
  for (let round = 0; round < LOADS; round += 1) {
    const page = await openPage(browser, serving);
    await page.addInitScript(`const last = 'Step ${MESSAGES}:';
      window.shown = new Promise((resolve) => {
        const look = () => {
          if (![...document.querySelectorAll('article')].at(-1)?.textContent.includes(last)) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        };
        const observer = new MutationObserver(look);
        observer.observe(document, { subtree: true, childList: true, characterData: true });
      })`);
    const startedAt = await open(page, serving);
    times.push((await page.evaluate<number>('window.shown')) - startedAt);
    await page.close();
  }
  return { ms: Math.round(median(times)), fastestMs: Math.round(Math.min(...times)) };
}
