import { describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench, sessionIdOf } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

const COMMAND = `sleep 600; echo ${'a-long-word-'.repeat(20)}`;

describe.each(WIDTHS)('commands in the background at %s width', (_name, viewport) => {
  it('are shown until the run ends, and never make the page wider', async () => {
    const rest = Promise.withResolvers<string>();
    await using bench = await PageBench.open({
      script: ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? rest.promise
          : { toolCalls: [{ name: 'bash', arguments: { command: COMMAND, background: true } }] },
    });
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'serve it');
    const shown = page.getByLabel('Commands in the background');
    await shown.getByText('sleep 600').waitFor();
    const composer = await page.getByLabel('Message', { exact: true }).boundingBox();
    expect((composer?.x ?? 0) + (composer?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    expect(await accessibilityFaults(page)).toEqual([]);
    rest.resolve('Done.');
    await bench.ended(sessionIdOf(page));
    await shown.waitFor({ state: 'detached' });
    expect(bench.failures).toEqual([]);
  });
});
