import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Script, userTexts } from '@longhaul/scripted-model';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { PageBench, sessionIdOf } from './page-bench.ts';

const FILE_NAME = '<img src=x onerror=window.pwned=1>.txt';
const ALL = HOSTILE_TEXTS.join('\n\n');

/** Answers with hostile text, reasoning, arguments and outputs. */
const script: Script = ({ messages, asksForSummary }) => {
  if (asksForSummary) return ALL;
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (!userTexts(messages).at(-1)?.includes('work')) return ALL;
  if (results === 0)
    return { reasoning: ALL, text: ALL, toolCalls: [{ name: 'read', arguments: { path: 'hostile.txt' } }] };
  if (results === 1) return { toolCalls: [{ name: 'write', arguments: { path: FILE_NAME, content: ALL } }] };
  if (results === 2)
    return { toolCalls: [{ name: 'bash', arguments: { command: 'cat hostile.txt; exit 1' } }] };
  if (results === 3)
    return {
      toolCalls: [
        {
          name: 'todo',
          arguments: { items: HOSTILE_TEXTS.slice(0, 10).map((text) => ({ text, status: 'pending' })) },
        },
      ],
    };
  if (results === 4)
    return { toolCalls: [{ name: '<img src=x onerror=window.pwned=1>', arguments: { '<b>': ALL } }] };
  return ALL;
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script });
  await writeFile(join(bench.bench.workspace, 'hostile.txt'), ALL);
});
afterAll(() => bench[Symbol.asyncDispose]());

describe('hostile text', () => {
  it('does nothing in messages, titles, tool calls, outputs, file names, diffs, search and summaries', async () => {
    const page = await bench.newPage();
    const foreign = requestsElsewhere(page);
    await bench.say(page, `work ${ALL}`);
    await page.getByPlaceholder('Message the agent').waitFor();
    const sessionId = sessionIdOf(page);
    await bench.ended(sessionId);
    const { client } = bench;
    await client.sessions.update(sessionId, { title: `${HOSTILE_TEXTS[1]} \u202egnp.exe` });
    await openAll(page);
    await expectHarmless(page);
    for (const panel of ['context', 'files', 'tree']) {
      await bench.showSession(page, sessionId, `?panel=${panel}`);
      await openAll(page);
      await expectHarmless(page);
    }
    for (const text of ['Again', 'And again', 'Once more', 'And more']) {
      await client.sendMessage(sessionId, text);
      await bench.ended(sessionId);
    }
    expect((await client.compact(sessionId, {})).status).toBe('compacted');
    await bench.showSession(page, sessionId);
    await page
      .getByRole('button', { name: /^Context compacted:/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Ledger' }).waitFor();
    await expectHarmless(page);
    expect(foreign).toEqual([]);
    expect(bench.failures).toEqual([]);
    await page.context().close();
  });

  it('does nothing in the request for an approval', async () => {
    await using asking = await PageBench.open({ script, approvals: '[{ tool: "*", action: ask }]' });
    const page = await asking.newPage();
    await asking.say(page, 'work again');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expectHarmless(page);
    await dialog.getByRole('button', { name: 'Deny' }).click();
    expect(asking.failures).toEqual([]);
  });
});

/** Opens everything that is folded, and presses what looks like a link in the texts. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(`for (const folded of document.querySelectorAll('main details')) folded.open = true;
    for (const link of document.querySelectorAll('main a, .unsafe-link'))
      if (link.textContent === 'click here') link.click();`);
}

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("'pwned' in window")).toBe(false);
  const made = await page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(ACTIVE)})].map(({ outerHTML }) => outerHTML.slice(0, 200))`,
  );
  expect(made).toEqual([]);
  // Characters that would reorder the text around them are shown as their codes.
  const reordered =
    '[document.body.innerText, document.title].join().match(/[\\u202a-\\u202e\\u2066-\\u2069]/g)';
  expect(await page.evaluate(reordered)).toBeNull();
}

/** Elements and attributes that no text may become. */
const ACTIVE =
  'iframe, object, embed, video, base, form[action], [onerror], [onload], [ontoggle], [onfocus], a[href^="javascript" i], a[href^="data" i], meta[http-equiv], main style, main script, img:not([src^="blob:"])';

/** Addresses of other servers that the page asks for. */
function requestsElsewhere(page: Page): string[] {
  const urls: string[] = [];
  const own = bench.url;
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith('blob:')) urls.push(url);
  });
  return urls;
}
