import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Script, userTexts } from '@longhaul/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench, sessionIdOf } from './page-bench.ts';
import { chooseAction, dropFiles, messageAt, openSide, textFile, WIDTHS } from './page-gestures.ts';

const script: Script = ({ messages }) => `You said ${userTexts(messages).at(-1)}.`;

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({ script });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

/** A session of two turns. */
async function filledSession(title: string): Promise<string> {
  const { client } = bench;
  const { id } = await client.sessions.create({ title });
  for (const text of ['alpha', 'beta']) {
    await client.sendMessage(id, `${text} of ${title}`);
    await bench.ended(id);
  }
  return id;
}

describe.each(WIDTHS)('sessions at %s width', (width, viewport) => {
  it('are listed with their state, folder and context, and begin with a folder, an agent and a model', async () => {
    const page = await bench.newPage({ viewport });
    await page.getByRole('main').getByLabel('Folder').fill(bench.bench.workspace);
    await page.getByLabel('Model').selectOption('local/scripted');
    expect(await accessibilityFaults(page)).toEqual([]);
    await bench.say(page, `chosen ${width}`);
    await messageAt(page, 2).getByText(`You said chosen ${width}.`).waitFor();
    await bench.ended(sessionIdOf(page));
    const side = await openSide(page);
    const line = side.getByRole('link', { name: `chosen ${width}` });
    await line.getByText('done').waitFor();
    await line.getByText('work space').waitFor();
    await line
      .getByText(/^\d+ %$|Context \d+ %/)
      .first()
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('are found by words of their messages, and shown at the message', async () => {
    const title = `Searched ${width}`;
    const sessionId = await filledSession(title);
    const page = await bench.newPage({ viewport });
    const side = await openSide(page);
    const search = side.getByPlaceholder('Search in all sessions');
    await search.fill('nowhere at all');
    await side.getByText('Nothing found.', { exact: false }).waitFor();
    await search.fill(`said beta ${title}`);
    const found = side.getByRole('list', { name: 'Messages with these words' });
    await found.getByRole('link', { name: title }).first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await found.getByRole('link', { name: title }).first().click();
    await page.waitForURL(/message=m4$/);
    expect(sessionIdOf(page)).toBe(sessionId);
    await page.locator('article[aria-current=location]').filter({ hasText: 'You said beta' }).waitFor();
    await page.context().close();
  });

  it('are renamed, deleted, and restored by Undo', async () => {
    const sessionId = await filledSession(`Renamed ${width}`);
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId);
    await chooseAction(await openSide(page), `Renamed ${width}`, 'Rename');
    const title = page.getByLabel('Title of the session');
    await title.fill(`Unwanted ${width}`);
    await title.press('Escape');
    await chooseAction(page.getByRole('navigation'), `Renamed ${width}`, 'Rename');
    await title.fill(`Kept ${width}`);
    await title.press('Enter');
    await page
      .getByRole('navigation')
      .getByRole('link', { name: `Kept ${width}` })
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await chooseAction(page.getByRole('navigation'), `Kept ${width}`, 'Delete');
    const undo = page.getByRole('dialog').filter({ hasText: `Deleted “Kept ${width}”` });
    await undo.getByRole('button', { name: 'Undo' }).waitFor();
    await page.waitForURL((url) => !url.hash.includes(sessionId));
    expect(await accessibilityFaults(page)).toEqual([]);
    await undo.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL((url) => url.hash.includes(sessionId));
    await messageAt(page, 4).getByText('You said beta').waitFor();
    expect((await bench.client.sessions.get(sessionId)).title).toBe(`Kept ${width}`);
    await page.context().close();
  });

  it('are forked whole, and after a message, and shown as a tree', async () => {
    const title = `Origin ${width}`;
    const sessionId = await filledSession(title);
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId);
    await chooseAction(page.getByRole('main'), title, 'Fork');
    await page.getByText(`Forked “${title}”`).first().waitFor();
    await page.waitForURL((url) => !url.hash.includes(sessionId));
    await messageAt(page, 4).waitFor();
    await bench.showSession(page, sessionId);
    await messageAt(page, 2).hover();
    await messageAt(page, 2).getByRole('button', { name: 'Fork after this message' }).click();
    await page.waitForURL((url) => !url.hash.includes(sessionId));
    await messageAt(page, 2).waitFor();
    expect((await bench.client.messages(sessionIdOf(page), { limit: 10 })).messages).toHaveLength(2);
    await page.getByRole('button', { name: 'Branches' }).click();
    const panel = page.getByRole('complementary', { name: 'Branches' });
    await panel.locator('.branch').filter({ hasText: 'from m2' }).waitFor();
    await panel.getByRole('link', { name: title }).first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('continue at the end of a branch that a revert has left', async () => {
    const sessionId = await filledSession(`Branched ${width}`);
    const { client } = bench;
    await client.revert(sessionId, { target: 'm3' });
    await client.sendMessage(sessionId, 'gamma');
    await bench.ended(sessionId);
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId, '?panel=tree');
    const panel = page.getByRole('complementary', { name: 'Branches' });
    await panel.getByText('current at its beginning').waitFor();
    await panel.getByRole('button', { name: 'Go to the end of the branch, m4' }).click();
    const dialog = page.getByRole('dialog', { name: /end of the branch/ });
    await dialog.getByText(/would be hidden/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Conversation only' }).click();
    await page.getByText('The conversation continues after m4').first().waitFor();
    const { messages } = await client.messages(sessionId, { limit: 10 });
    const reverted = messages.filter(({ visibility }) => visibility.isReverted === true);
    expect(reverted.map(({ visibility }) => visibility.handle)).toEqual(['m5', 'm6']);
    await page.context().close();
  });

  it('are exported as a file, which imports them when it is dropped', async () => {
    const title = `Exported ${width}`;
    const sessionId = await filledSession(title);
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, sessionId);
    const download = page.waitForEvent('download');
    await chooseAction(page.getByRole('main'), title, 'Export');
    const exported = await readFile(await (await download).path(), 'utf8');
    expect(exported).toContain(`beta of ${title}`);
    await dropFiles(page, '#main', [
      textFile('exported.json', exported),
      textFile('broken.json', 'not a session'),
    ]);
    const report = page.getByRole('dialog', { name: 'Import' });
    await report.getByText('1 of 2 files imported.').waitFor();
    const broken = report.getByRole('listitem').filter({ hasText: 'broken.json' });
    await broken.getByText(/Not imported:/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await report.getByRole('link', { name: title }).click();
    await page.waitForURL((url) => url.hash.includes('/session/') && !url.hash.includes(sessionId));
    await messageAt(page, 4).getByText('You said beta').waitFor();
    await page.context().close();
  });

  it('say what can be done on the page when their folder is gone, and are copied into another one', async () => {
    const { client } = bench;
    const { workspace } = bench.bench;
    const folder = join(workspace, 'gone');
    await mkdir(folder);
    const { id } = await client.sessions.create({ title: 'Moves', workspace: folder });
    await client.sendMessage(id, 'alpha');
    await bench.ended(id);
    await rm(folder, { recursive: true });
    const page = await bench.newPage({ viewport });
    await bench.showSession(page, id);
    await bench.say(page, 'beta');
    await page.getByText('the folder of this session no longer exists').waitFor();
    expect(await page.getByText(/longhaul (export|import|show)/).count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('main').getByLabel('Folder').fill(workspace);
    await page.getByRole('button', { name: 'Copy the session' }).click();
    await expect.poll(() => sessionIdOf(page)).not.toBe(id);
    await page.getByRole('article').getByText('You said alpha').waitFor();
    await bench.say(page, 'gamma');
    await page.getByRole('article').getByText('You said gamma').waitFor();
    await page.context().close();
  });
});

describe.each(WIDTHS)('other pages at %s width', (_, viewport) => {
  it('explain that an address names nothing, and link to the sessions', async () => {
    const page = await bench.newPage({ viewport });
    await page.goto(`${bench.url}/#/session/../../etc`);
    await page.getByText('This session does not exist, or was deleted.').waitFor();
    await page.goto(`${bench.url}/#/nowhere`);
    await page.getByText('This page does not exist.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to the sessions' }).click();
    await page.getByRole('heading', { name: 'New session' }).waitFor();
    await page.context().close();
  });

  it('replay a dropped session, and save the report', async () => {
    const sessionId = await filledSession('Replayed');
    const exported = JSON.stringify(await bench.client.sessions.export(sessionId));
    const page = await bench.newPage({ viewport });
    await page.goto(`${bench.url}/#/replay`);
    await dropFiles(page, '.drop-place', [textFile('recorded.json', exported), textFile('broken.json', '{')]);
    const replayed = page.getByRole('listitem').filter({ hasText: 'recorded.json' });
    await replayed
      .getByText(/reactive-overflow|fits a window/)
      .first()
      .waitFor();
    await page.getByRole('listitem').filter({ hasText: 'broken.json' }).locator('.bad').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await replayed.getByRole('button', { name: 'Download the whole report' }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toContain('<html');
    await page.context().close();
  });
});
