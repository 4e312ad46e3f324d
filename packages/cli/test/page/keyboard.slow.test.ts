import { type Script, userTexts } from '@longhaul/scripted-model';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench, sessionIdOf } from './page-bench.ts';
import { messageAt, WIDTHS } from './page-gestures.ts';

/** Runs the command of `run X`, never ends for `endless`, and answers all other messages. */
const script: Script = ({ messages }) => {
  const asked = userTexts(messages).at(-1) ?? '';
  const command = /run (.*)/.exec(asked)?.[1];
  if (command !== undefined && messages.at(-1)?.role !== 'tool')
    return { toolCalls: [{ name: 'bash', arguments: { command } }] };
  if (asked.includes('endless'))
    return { text: `${'word '.repeat(20)}END`, fault: { kind: 'silence', afterChunks: 6 } };
  return `You said ${asked}.`;
};

let bench: PageBench;
beforeAll(async () => {
  bench = await PageBench.open({
    script,
    approvals: '[{ tool: "*", action: allow }, { tool: bash, action: ask }]',
  });
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => expect(bench.failures.splice(0)).toEqual([]));

const MOST_TABS = 60;

/** Presses Tab until the control has the focus, which must be visible. */
async function tabTo(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await control.waitFor();
  for (let count = 0; count < MOST_TABS; count += 1) {
    if (await hasFocus(control)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${control}`);
}

async function hasFocus(control: Locator): Promise<boolean> {
  return (await control.and(control.page().locator(':focus')).count()) > 0;
}

describe.each(WIDTHS)('the keyboard alone at %s width', (_, viewport) => {
  it('begins a session, answers an approval, and uses the buttons of a message', async () => {
    const page = await bench.newPage({ viewport });
    await tabTo(page, page.getByLabel('Message', { exact: true }));
    await page.keyboard.type('run echo typed');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Approve this?' });
    await tabTo(page, dialog.getByLabel(/Reason/));
    await tabTo(page, dialog.getByRole('button', { name: 'Once' }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus(page.getByLabel('Message', { exact: true }))).toBe(true);
    await messageAt(page, 3).getByText('You said').waitFor();
    await bench.ended(sessionIdOf(page));
    await tabTo(page, messageAt(page, 1).getByRole('button', { name: /^Pin:/ }));
    await page.keyboard.press('Enter');
    await messageAt(page, 1).getByText('pinned', { exact: true }).waitFor();
    const tool = page.locator('details.tool summary').first();
    await tabTo(page, tool);
    const wasOpen = await page.locator('details.tool[open]').count();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('details.tool[open]').count()).toBe(1 - wasOpen);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('opens each panel and the menu of the session, and returns the focus', async () => {
    const page = await bench.newPage({ viewport });
    const { id } = await bench.client.sessions.create({ title: 'By keys' });
    await bench.showSession(page, id);
    for (const panel of ['Context', 'Changed files', 'Branches']) {
      await tabTo(page, page.getByRole('button', { name: panel, exact: true }));
      await page.keyboard.press('Enter');
      const aside = page.getByRole('complementary', { name: panel });
      await aside.waitFor();
      await tabTo(page, aside.getByRole('button', { name: 'Close the panel' }));
      await page.keyboard.press('Enter');
      await aside.waitFor({ state: 'detached' });
    }
    const menu = page.getByRole('main').getByRole('button', { name: 'Actions for By keys' });
    await tabTo(page, menu);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus(menu)).toBe(true);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('queues a message and stops the run', async () => {
    const page = await bench.newPage({ viewport });
    await page.getByLabel('Message', { exact: true }).focus();
    await page.keyboard.type('endless');
    await page.keyboard.press('Enter');
    await page.getByPlaceholder('Message will be queued…').waitFor();
    await page.getByText('word word').first().waitFor();
    await tabTo(page, page.getByLabel('Message', { exact: true }));
    await page.keyboard.type('and then this');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: '1 queued' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Remove message 1' }));
    await page.keyboard.press('Enter');
    await page.getByText('No message waits.').waitFor();
    await page.keyboard.press('Escape');
    await tabTo(page, page.getByRole('button', { name: 'Stop' }));
    await page.keyboard.press('Enter');
    await page.getByPlaceholder('Message the agent').waitFor();
    await page.context().close();
  });
});

describe.each(WIDTHS)('the connection at %s width', (_, viewport) => {
  it('is shown as lost and restored, and keeps what is typed in the meantime', async () => {
    const page = await bench.newPage({ viewport });
    await bench.say(page, 'Hello');
    await messageAt(page, 2).getByText('You said Hello.').waitFor();
    const second = await bench.newPage({ context: page.context() });
    await bench.showSession(second, sessionIdOf(page));
    await page.context().setOffline(true);
    await page.getByText('The server does not answer. Connecting again…').waitFor();
    const composer = page.getByLabel('Message', { exact: true });
    await composer.fill('typed while offline');
    expect(await accessibilityFaults(page)).toEqual([]);
    await composer.press('Enter');
    await page.getByRole('alertdialog').first().waitFor();
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor();
    expect(await composer.inputValue()).toBe('typed while offline');
    await page.context().setOffline(false);
    await page.getByText('The server does not answer.', { exact: false }).waitFor({ state: 'detached' });
    await composer.press('Enter');
    for (const tab of [page, second])
      await messageAt(tab, 4).getByText('You said typed while offline.').waitFor();
    await page.context().close();
  });
});
