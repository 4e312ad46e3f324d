import type { Script } from '@longhaul/scripted-model';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatewayPageBench } from './gateway-page-bench.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { accessibilityFaults } from './page-bench.ts';

const SUMMARY = 'The user plans a trip to Norway.\nTickets are booked; the hotel is open.';
const ALL = HOSTILE_TEXTS.join('\n\n');
const PHONE = { width: 390, height: 844 };

const script: Script = ({ messages, asksForSummary }) => {
  const isHostile = JSON.stringify(messages).includes('window.pwned');
  if (asksForSummary) return isHostile ? ALL : SUMMARY;
  return 'Yes.';
};

const history = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: text(index),
  }));

const trip = (count: number) =>
  history(count, (index) => `Trip ${index}: ${'many words about it. '.repeat(12)}`);

describe('the page of the gateway', () => {
  let bench: GatewayPageBench;
  let page: Page;
  beforeAll(async () => {
    bench = await GatewayPageBench.open({ script });
    page = await bench.newPage();
    await bench.signIn(page);
  });
  afterAll(() => bench[Symbol.asyncDispose]());
  afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

  const local = () => `local/${bench.local.model}`;

  it('shows servers and models, with where their windows come from', async () => {
    const servers = page.getByRole('region', { name: 'Servers and models' });
    await servers.getByText('LM Studio /api/v1/models').waitFor();
    await servers.getByText('does not answer').waitFor();
    expect(await servers.getByText('4,096').count()).toBe(2);
    await servers.getByText('Cannot reach the upstream away').waitFor();
  });

  it('shows a conversation as it grows, its compaction, and the text of the summary', async () => {
    expect(await bench.chat(local(), trip(5))).toBe(200);
    await page.getByRole('heading', { name: /^Trip 0: many words/ }).waitFor();
    expect(await bench.chat(local(), trip(81))).toBe(200);
    const compaction = page.getByRole('button', { name: /^Compaction 1: [\d,]+ → [\d,]+ tokens$/ });
    await compaction.waitFor();
    await page.getByRole('meter', { name: 'How full the window is' }).waitFor();
    await compaction.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/A summary by a model replaces \d+ messages/).waitFor();
    expect(await dialog.getByRole('region', { name: 'Narrative' }).textContent()).toContain(SUMMARY);
    await dialog.getByRole('listitem').filter({ hasText: 'Trip 80' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator(':focus').textContent()).toMatch(/^Compaction 1: /);
  });

  it('changes settings at once, in the file, with its comments', async () => {
    const agent = page.getByLabel('Context pruning agent');
    expect(await agent.inputValue()).toBe('__same__');
    await agent.selectOption(`other/${bench.other.model}`);
    await page.getByText(`Context pruning agent: ${bench.other.model}.`).waitFor();
    const share = page.getByLabel('Compact a request at');
    await share.fill('70');
    await share.press('Enter');
    await page.getByText('Compact a request at 70 %.').waitFor();
    const toggle = page.getByRole('switch').first();
    await toggle.focus();
    await page.keyboard.press('Space');
    await page.getByText('Compaction for local: off.').waitFor();
    const text = await bench.userFile();
    for (const part of [
      '# My gateway',
      '# On this machine.',
      'inputThreshold: 0.7',
      `compactor: other/${bench.other.model}`,
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/name: local, .*compaction: false \}/);
    expect(await bench.chat(local(), trip(83))).toBe(400);
    await toggle.click();
    await page.getByText('Compaction for local: on.').waitFor();
    const before = bench.other.requests.length;
    // Another conversation: the first one is already compacted.
    expect(
      await bench.chat(
        local(),
        history(81, (index) => `Other ${index}: ${'many words. '.repeat(24)}`),
      ),
    ).toBe(200);
    expect(bench.other.requests.length).toBeGreaterThan(before);
  });

  it('shows an invalid share, and does not save it', async () => {
    const share = page.getByLabel('Continue a stream at');
    await share.fill('0');
    await share.press('Enter');
    expect(await share.getAttribute('aria-invalid')).toBe('true');
    const reason = page.getByText('Not saved. Enter a whole number from 1 to 100.');
    await reason.waitFor();
    await share.fill('90');
    await reason.waitFor({ state: 'detached' });
    expect(await bench.userFile()).not.toContain('warningThreshold');
  });

  it('connects again after a restart, with the settings of the file', async () => {
    await bench.stopGateway();
    await page.getByText('The gateway does not answer.').waitFor();
    await bench.startGateway();
    await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Compact a request at').inputValue()).toBe('70');
    expect(await bench.chat(local(), trip(83))).toBe(200);
    await page.getByRole('button', { name: /^Compaction 1: / }).click();
    await page.getByRole('dialog').getByText('read from the database').waitFor();
    await page.keyboard.press('Escape');
  });

  it('has labels, contrast and no sideways scrolling at any width and theme', async () => {
    for (const viewport of [{ width: 1_280, height: 800 }, PHONE])
      for (const scheme of ['light', 'dark'] as const) {
        const shown = await bench.newPage(viewport, scheme);
        await shown.goto(bench.url);
        await shown.getByLabel('Token of this server').waitFor();
        const width = () => shown.evaluate<number>('document.documentElement.scrollWidth');
        expect(await width()).toBe(viewport.width);
        await bench.signIn(shown);
        await shown
          .getByRole('button', { name: /^Compaction 1: / })
          .first()
          .waitFor();
        expect(await accessibilityFaults(shown)).toEqual([]);
        expect(await width()).toBe(viewport.width);
        await shown.context().close();
      }
  });
});

describe('hostile text on the page of the gateway', () => {
  it('is text in names of models, titles, summaries and kept messages', async () => {
    const model = '<img src=x onerror=window.pwned=1>\u202e';
    await using bench = await GatewayPageBench.open({ script, model });
    const page = await bench.newPage(PHONE);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).origin));
    await bench.signIn(page);
    await page
      .getByRole('heading', { name: '<img src=x onerror=window.pwned=1>\\u202e', exact: true })
      .waitFor();
    const texts = history(
      81,
      (index) => `${HOSTILE_TEXTS[index % HOSTILE_TEXTS.length]} ${'many words. '.repeat(15)}`,
    );
    expect(await bench.chat(`local/${model}`, texts)).toBe(200);
    await page.getByRole('button', { name: /^Compaction 1: / }).click();
    await page.getByRole('heading', { name: 'Kept messages' }).waitFor();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('dialog img, main img, main script, main iframe').count()).toBe(0);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(new Set(requested)).toEqual(new Set([new URL(bench.url).origin]));
    expect(bench.failures).toEqual([]);
  });
});
