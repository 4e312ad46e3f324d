import type { QueuedMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { type Edits, filesOfQueued, queueLines, textOfQueued, withText } from './queue-list.ts';

const message = (id: string, text: string): QueuedMessage => ({
  id,
  content: [{ type: 'text', text }],
  queuedAt: 1,
});

it('keeps the edited text of a message that was delivered in the meantime', () => {
  const [a, b] = [message('a', 'one'), message('b', 'two')];
  const edits: Edits = new Map([
    ['a', { text: 'one, changed', message: a }],
    ['b', { text: 'two, changed', message: b }],
  ]);
  expect(queueLines([b], edits)).toEqual([
    { message: a, position: undefined, text: 'one, changed' },
    { message: b, position: 1, text: 'two, changed' },
  ]);
  expect(queueLines([b, a], new Map()).map(({ position }) => position)).toEqual([1, 2]);
});

it('changes the text of a message and keeps its files', () => {
  const image = { type: 'image', data: 'AAAA' } as const;
  const both: QueuedMessage = { id: 'x', queuedAt: 1, content: [{ type: 'text', text: 'look' }, image] };
  expect(withText(both, ' see ')).toEqual([{ type: 'text', text: 'see' }, image]);
  expect(withText(both, ' ')).toEqual([image]);
  const alone: QueuedMessage = { id: 'y', queuedAt: 1, content: [image] };
  expect(withText(alone, 'now')).toEqual([{ type: 'text', text: 'now' }, image]);
  expect([textOfQueued(alone), filesOfQueued(alone), filesOfQueued(both)]).toEqual([
    '',
    'with 1 file',
    'with 1 file',
  ]);
});
