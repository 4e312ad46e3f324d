import { expect, it } from 'vitest';
import type { SessionWriter } from '../../session/session-writer.ts';
import { BackgroundNote } from './background-note.ts';
import { RunBackground } from './run-background.ts';

it('stores the note and what it reports in one tick, so that no end is reported twice', async () => {
  const order: string[] = [];
  const writer = {
    appendMessage: async () => {
      order.push('note begins');
      await Promise.resolve();
      order.push('note is stored');
    },
  } as unknown as SessionWriter;
  const background = new RunBackground({
    sandbox: { kind: 'local', start: () => Promise.reject(new Error('nothing starts here')) },
    begun: [{ handle: 'm1.0', command: 'serve' }],
    save: async (begun) => void order.push(`saves ${begun.length}`),
  });
  await new BackgroundNote(writer, background).appendIfDue();
  expect(order).toEqual(['note begins', 'saves 0', 'note is stored']);
});
