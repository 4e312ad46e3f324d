import { PassThrough } from 'node:stream';
import type { MessageQueueService } from '@longhaul/core';
import { expect, it } from 'vitest';
import { processTerminal } from '../terminal.ts';
import { typeAhead } from './type-ahead.ts';

/** A keyboard, and a queue that stores a message when the test says so. */
function setUp(draft?: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const out = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const terminal = Object.assign(processTerminal(), { out, err: out });
  Object.defineProperty(terminal, 'input', { value: input });
  const stored = Promise.withResolvers<void>();
  const texts: unknown[] = [];
  const enqueue = async (_: string, content: unknown) => {
    texts.push(content);
    await stored.promise;
    return { id: `q${texts.length}`, position: 1 };
  };
  let shown = '';
  const live = {
    insert: (lines: string) => {
      shown += lines;
    },
    setInput: () => undefined,
  };
  const queue = { enqueue } as unknown as MessageQueueService;
  const typing = typeAhead({ terminal, queue, sessionId: 's', live, draft });
  return { typing, input, texts, storeNow: stored.resolve, shown: () => shown };
}

it('waits for lines that were entered in the last moment, and names them', async () => {
  const { typing, input, texts, storeNow } = setUp();
  input.write('Use tabs\r');
  await expect.poll(() => texts).toEqual([[{ type: 'text', text: 'Use tabs' }]]);
  let ids: readonly string[] | undefined;
  const settled = typing.settled().then((found) => {
    ids = found;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(ids).toBeUndefined();
  storeNow();
  await settled;
  expect(ids).toEqual(['q1']);
  typing[Symbol.dispose]();
});

it('hands the text that was typed to the next run', async () => {
  const { typing, input, shown } = setUp('And ');
  input.write('tests');
  await new Promise((resolve) => setImmediate(resolve));
  expect(typing.takeDraft()).toBe('And tests');
  expect(await typing.offerRest(new AbortController().signal)).toBeUndefined();
  typing[Symbol.dispose]();
  expect(shown()).toBe('');
});

it('offers the rest, and prints it if an abort or a closed terminal ends the wait', async () => {
  for (const end of ['abort', 'close'] as const) {
    const { typing, input, shown } = setUp('half');
    const controller = new AbortController();
    const offered = typing.offerRest(controller.signal);
    expect(shown()).toContain('Enter sends this line');
    if (end === 'abort') controller.abort();
    else input.end();
    expect(await offered).toBeUndefined();
    typing[Symbol.dispose]();
    expect(shown()).toContain('! typed and not sent: half\n');
  }
});
