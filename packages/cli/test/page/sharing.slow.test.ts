import { createClient } from '@longhaul/client';
import { findChromium, lacks } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults, PageBench } from './page-bench.ts';
import { WIDTHS } from './page-gestures.ts';

describe.each(WIDTHS)('sharing on a %s', (width, viewport) => {
  it('lets the owner share a session, and others see whose it is', async ({ skip }) => {
    if ((await findChromium()) === undefined)
      return lacks('chromium', 'no Chromium that runs was found', skip);
    await using bench = await PageBench.open({ script: () => 'Here is the plan.' });
    const tokenOf = async (name: string): Promise<string> =>
      JSON.parse((await bench.bench.call(['token', 'add', name, '--json'])).stdout).token;
    const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
    const client = createClient({ baseUrl: bench.url, token: ann });
    const { id } = await client.sessions.create({ title: 'The plan' });
    await client.sendMessage(id, 'Plan it');
    await bench.ended(id);

    const colorScheme = width === 'phone' ? 'dark' : 'light';
    const hers = await bench.newPage({ viewport, colorScheme, token: ann });
    await bench.showSession(hers, id);
    await hers.getByRole('main').getByRole('button', { name: 'Actions for The plan' }).click();
    await hers.getByRole('menuitem', { name: 'Sharing' }).click();
    const dialog = hers.getByRole('dialog', { name: 'Sharing' });
    await dialog.getByText('This session belongs to ann.').waitFor();
    await dialog.getByLabel('Others can read it', { exact: true }).check();
    expect(await accessibilityFaults(hers)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    const his = await bench.newPage({ viewport, colorScheme, token: bob });
    await his.goto(`${bench.url}/#/session/${id}`);
    await his.getByText('Here is the plan.').first().waitFor();
    await his.getByText('This session belongs to ann. You can read it').waitFor();
    expect(await his.getByLabel('Message', { exact: true }).count()).toBe(0);
    await his.getByRole('main').getByRole('button', { name: 'Actions for The plan' }).click();
    await expect
      .poll(() => his.getByRole('menuitem').allTextContents())
      .toEqual(['Fork', 'Export', 'Export with files', 'Sharing']);
    await his.getByRole('menuitem', { name: 'Sharing' }).click();
    await his.getByText('Only its owner and admins can change this.').waitFor();
    expect(await accessibilityFaults(his)).toEqual([]);

    await client.sessions.update(id, { shared: 'none' });
    await his.reload();
    await his.getByText('There is no such session').or(his.getByText('does not exist')).first().waitFor();
    expect(bench.failures).toEqual([]);
  });
});
