import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, lacks } from '@longhaul/testing/machine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BacktestReport, runBacktest } from '../backtest/run-backtest.ts';
import { filler } from '../backtest/test-support/recorded.ts';
import { renderPage } from './render-page.ts';

let folder = '';
let report: BacktestReport;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-page-'));
  const messages: object[] = [{ role: 'user', content: 'Look into it: </script><script>alert(1)</script>' }];
  for (let index = 0; index < 12; index += 1) {
    const args = index === 11 ? 'closing_tag' : `src/part-${index}.ts`;
    const call = {
      id: `c${index}`,
      type: 'function',
      function: { name: 'read', arguments: JSON.stringify({ args }) },
    };
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    messages.push({
      role: 'tool',
      tool_call_id: `c${index}`,
      content: `${index === 0 ? 'closing_tag' : ''} ${filler(2_000)}`,
    });
  }
  await writeFile(join(folder, 'a <script> file.json'), JSON.stringify(messages));
  await writeFile(join(folder, 'empty.json'), '');
  report = await runBacktest({
    paths: [folder],
    windows: [8_000, 16_000],
    methods: ['drop-oldest-80-30', 'everything', 'reactive-overflow'],
    wantsTrace: true,
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the page refers to nothing outside, and no text of a session ends an element', async () => {
  const page = await renderPage(report);
  expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
    /(?:src|href)=|https?:|@import|url\(/,
  );
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script>/g)).toHaveLength(2);
});

test('its data have the facts that each step needed and those that each method was missing', async () => {
  const page = await renderPage(report);
  const data = JSON.parse(
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '',
  );
  const [session] = data.sessions;
  const [, far] = session.needs.at(-1);
  expect(far.map((fact: number) => session.facts[fact])).toEqual(['closing_tag']);
  expect(session.runs).toHaveLength(6);
  expect(data.problems).toEqual([
    { path: join(folder, 'empty.json'), message: expect.stringContaining('empty') },
  ]);
});

test('a browser draws it', async ({ skip }) => {
  const browser = await findChromium();
  if (browser === undefined) return lacks('chromium', 'no Chromium that runs was found', skip);
  const stdout = await drawnBy(browser, await renderPage(report));
  const body = stdout.slice(stdout.indexOf('<main'), stdout.indexOf('</main>'));
  for (const text of [
    'All sessions together',
    'Recall against cost',
    'drop-oldest-80-30',
    'closing_tag',
    'a &lt;script&gt; file.json',
  ])
    expect(body).toContain(text);
  expect(body.match(/<polyline/g)?.length).toBeGreaterThan(1);
});

test.for([375, 1280])(
  'a page %i pixels wide does not scroll sideways, and its labels do not overlap',
  async (width, { skip }) => {
    const browser = await findChromium();
    if (browser === undefined) return lacks('chromium', 'no Chromium that runs was found', skip);
    const page = await renderPage(report);
    const stdout = await drawnBy(
      browser,
      `<!doctype html><iframe style="width:${width}px;height:700px;border:0" srcdoc="${page
        .replaceAll('&', '&amp;')
        .replaceAll('"', '&quot;')}"></iframe><pre id="seen"></pre><script>
      onload = () => {
        const { document } = frames[0];
        const root = document.documentElement;
        const labels = [...document.querySelectorAll('svg .name')].map((label) => label.getBoundingClientRect());
        const texts = [...document.querySelectorAll('svg text')].map((text) => text.getBoundingClientRect());
        seen.textContent = JSON.stringify({ scrollWidth: root.scrollWidth, clientWidth: root.clientWidth, labels, texts });
      };
    </script>`,
    );
    const seen: { scrollWidth: number; clientWidth: number; labels: Edges[]; texts: Edges[] } = JSON.parse(
      /<pre id="seen">(.*?)<\/pre>/s.exec(stdout)?.[1] ?? '',
    );
    expect(seen.clientWidth).toBeGreaterThan(width - 20);
    expect(seen.scrollWidth).toBe(seen.clientWidth);
    expect(seen.labels).toHaveLength(2);
    const [one, two] = seen.labels;
    const isApart =
      one !== undefined &&
      two !== undefined &&
      (one.right <= two.left || two.right <= one.left || one.bottom <= two.top || two.bottom <= one.top);
    expect(isApart).toBe(true);
    for (const { left, right } of seen.texts) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(seen.clientWidth);
    }
  },
);

interface Edges {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The document after its scripts have run. */
async function drawnBy(browser: string, page: string): Promise<string> {
  const path = join(folder, 'page.html');
  await writeFile(path, page);
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`];
  const { stdout } = await promisify(execFile)(
    browser,
    [...flags, '--window-size=1400,900', '--dump-dom', `file://${path}`],
    { maxBuffer: 64 << 20 },
  );
  return stdout;
}
