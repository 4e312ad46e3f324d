import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import type { Terminal } from '../terminal.ts';
import { KeptTexts } from './composer/kept-texts.ts';
import { Front } from './front.ts';

afterEach(() => void vi.useRealTimers());

it('prints a notice where no status is drawn, and hands over what was entered before the chat was loaded', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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
    isNew: true,
    drawn: undefined,
  });
  front.start();
  stack.defer(() => front.stop());
  front.notice('Press Ctrl-C again to leave.');
  expect(out.read()).toContain('Press Ctrl-C again to leave.\n');

  for (const line of ['early one', 'early two']) {
    input.write(`${line}\n`);
    await new Promise((resolve) => setImmediate(resolve));
    // Otherwise the lines would count as a paste.
    vi.runAllTimers();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const entered: string[] = [];
  front.attach({
    above: () => [],
    status: () => '',
    onEnter: (text) => void entered.push(text),
    onKey: () => undefined,
  });
  expect(entered).toEqual(['early one', 'early two']);
});
