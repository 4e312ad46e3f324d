import { expect, it } from 'vitest';
import { call, LogBuilder } from '../test/log-fixtures.ts';
import { attemptsAfterRefusal, type ContentRefusal } from './leave-out.ts';
import { activeMarks } from './log.ts';
import { buildView } from './view.ts';

const image = { type: 'image', data: `@blob:${'0'.repeat(64)}`, mediaType: 'image/png' } as const;
const file = { type: 'file', mediaType: 'image/png', data: image.data } as const;

/** Message 1: text, image. Message 2: an empty text, text, a call with an image. Message 3: text. */
const { log } = new LogBuilder()
  .user([{ type: 'text', text: 'Look', state: 'done' }, file])
  .step('Looking', call('screen', { output: [{ type: 'text', text: 'here' }, image] }))
  .user([{ type: 'text', text: 'And?', state: 'done' }]);
const [first, second, third] = log.messages;

function attempts(refusal: ContentRefusal) {
  return attemptsAfterRefusal(buildView(log), activeMarks(log.marks), refusal).map((attempt) =>
    attempt.map(({ messageId, partIndex, what }) => {
      const at = log.messages.findIndex(({ id }) => id === messageId);
      return `${at + 1}.${partIndex} ${what}`;
    }),
  );
}

const toolIndex = second?.parts.findIndex(({ type }) => type === 'tool') ?? -1;

it('leaves out the newest media, then the named part, or all media if none is named', () => {
  expect([first, second, third].every((message) => message !== undefined)).toBe(true);
  const newest = [`2.${toolIndex} media`];
  expect(attempts({ about: 'media' })).toEqual([newest, ['1.1 media', ...newest]]);
  const named = { message: 0, part: 1, isMedia: true };
  expect(attempts({ about: 'media', named })).toEqual([newest, ['1.1 media']]);
  expect(attempts({ about: 'media', named: { message: 1, part: 1, isMedia: true } })).toEqual([newest]);
});

it('leaves out all media at once if the server takes none', () => {
  expect(attempts({ about: 'media', isAboutAll: true })).toEqual([['1.1 media', `2.${toolIndex} media`]]);
});

it('leaves out a named part without media first', () => {
  const named = { message: 0, part: 0, isMedia: false };
  expect(attempts({ about: 'part', named })).toEqual([['1.0 all'], [`2.${toolIndex} media`]]);
});

it('does not leave out a text of a person that has no answer yet', () => {
  const named = { message: 2, part: 0, isMedia: false };
  expect(attempts({ about: 'part', named })).toEqual([[`2.${toolIndex} media`]]);
});

it('leaves out nothing for an unknown reason, unless the newest media were never accepted', () => {
  const later = new LogBuilder().user([{ type: 'text', text: 'Look', state: 'done' }, file]).step('Seen');
  const of = ({ log: { messages, marks } }: typeof later) =>
    attemptsAfterRefusal(buildView({ messages, marks }), activeMarks(marks), { about: 'unknown' });
  expect(of(later)).toEqual([]);
  expect(of(later.user([file]))).toHaveLength(1);
});
