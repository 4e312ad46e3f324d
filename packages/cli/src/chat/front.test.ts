import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Terminal } from '../terminal.ts';
import { KeptTexts } from './composer/kept-texts.ts';
import { Front } from './front.ts';

it('prints a notice where no status is drawn, and hands over what was entered before the chat was loaded', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const input = new PassThrough();
  const out = new PassThrough({ encoding: 'utf8' });
  const terminal = { input, out, err: out, env: {}, cwd: folder } as unknown as Terminal;
  const front = new Front(terminal, {
    kept: new KeptTexts(folder, folder),
    noColor: true,
    isPlain: true,
    drawn: undefined,
  });
  front.start();
  stack.defer(() => front.stop());
  front.notice('Press Ctrl-C again to leave.');
  expect(out.read()).toContain('Press Ctrl-C again to leave.\n');

  input.write('early one\nearly two\n');
  await expect.poll(() => input.readableLength, { interval: 1 }).toBe(0);
  const entered: string[] = [];
  front.attach({
    above: () => [],
    status: () => '',
    onEnter: (text) => void entered.push(text),
    onKey: () => undefined,
  });
  await expect.poll(() => entered, { interval: 1 }).toEqual(['early one', 'early two']);
});
