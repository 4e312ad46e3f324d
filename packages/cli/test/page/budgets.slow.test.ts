import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeScript } from './filled-session.ts';
import { accessibilityFaults, PageBench } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

let bench: PageBench;
beforeAll(async () => {
  const more = 'budgets: { session: { tokens: 1000 }, day: { tokens: 900000, costUsd: 50 } }\n';
  bench = await PageBench.open({ script: writeScript, more });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

describe.each(WIDTHS)('budgets at %s width', (name, viewport) => {
  it.each(['light', 'dark'] as const)(
    'are shown, and a refused message stays typed, in %s',
    async (colorScheme) => {
      const { id } = await bench.client.sessions.create({ title: `${name} ${colorScheme}` });
      await bench.client.sendMessage(id, 'Say many words');
      await bench.ended(id);
      const page = await bench.newPage({ viewport, colorScheme });
      await bench.showSession(page, id, '?panel=context');
      const panel = page.getByRole('complementary', { name: 'Context' });
      const spent = panel.getByRole('list', { name: 'Spent' });
      await spent.getByText(/[\d.]+k of 1\.0k tokens/).waitFor();
      await spent.getByText(/ of 900\.0k tokens/).waitFor();
      await spent.getByText('$0.0000 of $50').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Close the panel' }).click();
      const composer = page.getByLabel('Message', { exact: true });
      await composer.fill('One more');
      await composer.press('Enter');
      await page
        .getByText(/The budget of this session is spent: .* raise it: budgets\.session\.tokens/)
        .first()
        .waitFor();
      expect(await composer.inputValue()).toBe('One more');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.context().close();
    },
  );
});
