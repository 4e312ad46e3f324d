import { gzipSync } from 'node:zlib';
import { findChromium } from '@longhaul/testing/machine';
import { type Browser, type CDPSession, chromium, type Page, type Response } from 'playwright-core';
import type { BenchResult } from './bench-result.ts';
import { fillLongSession } from './long-session.ts';
import { click, endShown, load, MESSAGES } from './page/end-shown.ts';
import { openPage } from './page/open-page.ts';
import { traceTasks } from './page/task-times.ts';
import { type Serving, startServing } from './server/serving.ts';

const DELTAS = 3_000;
const INTERVAL_MS = 5;
const WHEEL_TURNS = 500;
const WHEEL_PX = 2_000;
const LONG_TASK_MS = 50;
const LATE_MS = 1_000;
const FRAME_MS = 20;

/**
 * Measures the page in a real browser, with the server in another process.
 */
export async function benchPage(): Promise<BenchResult> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('This benchmark needs Chromium, which was not found.');
  await using serving = await startServing({
    deltas: DELTAS,
    intervalMs: INTERVAL_MS,
    fill: (path) => fillLongSession(path, { messages: MESSAGES }),
  });
  await using browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const size = await firstLoad(browser, serving);
  const loaded = await endShown(browser, serving, load);
  const clicked = await endShown(browser, serving, click);
  const streamed = await streaming(browser, serving);
  const scrolled = await scrolling(browser, serving);
  return {
    name: 'page',
    rows: [
      { label: 'first load', values: { 'kB gzipped': size.kilobytes, files: size.files } },
      {
        label: `end of ${MESSAGES} messages shown, new browser`,
        values: { 'ms median': loaded.ms, 'ms fastest': loaded.fastestMs },
      },
      {
        label: `end of ${MESSAGES} messages shown, after a click`,
        values: { 'ms median': clicked.ms, 'ms fastest': clicked.fastestMs },
      },
      {
        label: `${1_000 / INTERVAL_MS} deltas a second, ${DELTAS} deltas`,
        values: {
          'longest task ms': streamed.longestMs,
          'longest task ms of processor': streamed.processorMs,
          'long tasks': streamed.longTasks,
          'main thread %': streamed.busyPercent,
        },
      },
      {
        label: `scrolling up ${scrolled.messages} messages`,
        values: { 'main thread ms for 1,000': scrolled.msEach1000, 'heap MB': scrolled.heapMb },
      },
    ],
    summary: {
      firstLoadKb: size.kilobytes,
      endShownMs: loaded.ms,
      endShownAfterClickMs: clicked.ms,
      longestTaskMs: streamed.longestMs,
      longestTaskProcessorMs: streamed.processorMs,
      scrollMsEach1000: scrolled.msEach1000,
    },
    notes: [
      `A task of more than ${LONG_TASK_MS} ms is a long task. Browser, server and model share this machine.`,
      'With other work on the machine, a task lasts longer than it works. Its processor time shows what the page does.',
    ],
    broken: size.kilobytes > 250 ? [`The first load is ${size.kilobytes} kB. At most 250 are allowed.`] : [],
  };
}

/** The scripts, styles and HTML that a new browser loads to show the list of sessions. */
async function firstLoad(browser: Browser, serving: Serving): Promise<{ kilobytes: number; files: number }> {
  const page = await openPage(browser, serving);
  const sizes: Promise<number>[] = [];
  const addSize = (response: Response) => {
    if (!/^\/(?:assets\/[^?]*|[\w.-]*)$/.test(new URL(response.url()).pathname)) return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  };
  page.on('response', addSize);
  await page.goto(serving.url);
  await page.getByLabel('Message', { exact: true }).waitFor();
  // What is loaded late belongs to it too.
  await page.waitForTimeout(LATE_MS);
  page.off('response', addSize);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.close();
  return { kilobytes: Math.round(bytes / 1_000), files: sizes.length };
}

async function streaming(browser: Browser, serving: Serving) {
  const page = await openPage(browser, serving);
  await page.goto(serving.url);
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill('Write');
  await composer.press('Enter');
  await page.getByPlaceholder('Message will be queued…').waitFor();
  await page.evaluate(`window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: 'longtask' })`);
  const cdp = await page.context().newCDPSession(page);
  const traced = await traceTasks(cdp);
  const before = await taskSeconds(cdp);
  const startedAt = performance.now();
  await page.getByPlaceholder('Message the agent').waitFor({ timeout: 120_000 });
  const seconds = (performance.now() - startedAt) / 1_000;
  const busy = (await taskSeconds(cdp)) - before;
  const tasks = await page.evaluate<number[]>('window.longTasks');
  const processorMs = await traced.longestMs();
  await page.close();
  return {
    longestMs: Math.round(Math.max(0, ...tasks)),
    processorMs: Math.round(processorMs),
    longTasks: tasks.length,
    busyPercent: Math.round((100 * busy) / seconds),
  };
}

/** Reads upwards from the end, as a person does who looks for something. */
async function scrolling(browser: Browser, serving: Serving) {
  const page = await openPage(browser, serving);
  await page.goto(`${serving.url}/#/session/long`);
  await page.getByText(`Step ${MESSAGES}:`).waitFor();
  const cdp = await page.context().newCDPSession(page);
  const before = await taskSeconds(cdp);
  await page.mouse.move(700, 400);
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) {
    await page.mouse.wheel(0, -WHEEL_PX);
    // The page's policy forbids the functions of `waitForFunction`.
    await page.waitForTimeout(FRAME_MS);
  }
  const first = await firstShown(page);
  const seconds = (await taskSeconds(cdp)) - before;
  const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize');
  await page.close();
  const messages = MESSAGES - first + 1;
  return {
    messages,
    msEach1000: Math.round((seconds * 1e6) / Math.max(1, messages)),
    heapMb: Math.round(heap / 1e6),
  };
}

/** Runs in the page. */
const FIRST_SHOWN = "Number(/message (\\d+)/.exec(document.querySelector('article')?.ariaLabel ?? '')?.[1])";

function firstShown(page: Page): Promise<number> {
  return page.evaluate<number>(FIRST_SHOWN);
}

/** Time that the page's main thread has worked. */
async function taskSeconds(cdp: CDPSession): Promise<number> {
  await cdp.send('Performance.enable');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}
