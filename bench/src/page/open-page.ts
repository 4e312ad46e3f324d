import type { Browser, Page } from 'playwright-core';
import type { Serving } from '../server/serving.ts';

/** A new browser that is signed in. */
export async function openPage(browser: Browser, { token }: Serving): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
  await page.addInitScript(`sessionStorage.setItem('longhaul-token', ${JSON.stringify(token)})`);
  return page;
}
