import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UnmarkedPastes } from './unmarked-pastes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function open(options?: { isMarking: boolean }) {
  const got: string[] = [];
  const pastes = new UnmarkedPastes((data) => void got.push(data), options);
  /** Takes the keys of one read: each is a character, or a sequence of the list. */
  const read = async (keys: string | readonly string[]) => {
    for (const key of keys) pastes.take(key);
    await Promise.resolve();
  };
  return { got, pastes, read };
}

/** Nothing more arrives. */
async function pause() {
  vi.runAllTimers();
  await new Promise((resolve) => setImmediate(resolve));
}

const marked = (text: string) => `\u001b[200~${text}\u001b[201~`;

it('marks a text of several lines that arrives in one read', async () => {
  const { got, read } = open();
  await read('first line\rsecond line\r');
  await pause();
  expect(got).toEqual([marked('first line\rsecond line\r')]);
});

it('joins the reads of a long paste, also if the last ones are short', async () => {
  const { got, read } = open();
  const long = 'a line of a long text\r'.repeat(180);
  await read(long);
  await read(long);
  await read('end\r');
  await read('x');
  await pause();
  expect(got).toEqual([marked(`${long}${long}end\rx`)]);
});

it.each([
  ['a line that was typed before it was read', 'hello there, this is one line\r'],
  ['a line that ends with two presses of Enter', 'hello there, this is one line\r\r'],
  ['two short lines', 'yes\rgo\r'],
  ['a text without a line break', 'hello there, this is a long text'],
])('leaves %s alone', async (_what, text) => {
  const { got, read } = open();
  await read(text);
  await pause();
  expect(got.join('')).toBe(text);
  expect(got).toHaveLength(text.length);
});

it.each([
  ['a sequence of a key', '\u001b[A'],
  ['a control character', '\u0003'],
  ['a deleted character', '\u007f'],
  ['a marked paste', marked('pasted\rtext')],
])('leaves a read with %s alone', async (_what, key) => {
  const { got, read } = open();
  const keys = [...'first line\rsecond line', key];
  await read(keys);
  await pause();
  expect(got).toEqual(keys);
});

it('takes what was not read yet when the time was over', async () => {
  const { got, read } = open();
  await read('first line\rsecond line\r');
  vi.runAllTimers();
  await read('third\r');
  await pause();
  expect(got).toEqual([marked('first line\rsecond line\rthird\r')]);
});

it('hands a paste on before a key that follows at once', async () => {
  const { got, read } = open();
  await read('first line\rsecond line');
  await read(['\u001b[A']);
  expect(got).toEqual([marked('first line\rsecond line'), '\u001b[A']);
});

it('leaves lines alone that were typed ahead in a terminal that marks pastes', async () => {
  const { got, read } = open({ isMarking: true });
  await read('first line\rsecond line\r');
  expect(got).toEqual([...'first line\rsecond line\r']);
});

it('learns from a marked paste that the terminal marks pastes', async () => {
  const { got, read } = open();
  await read([marked('pasted\rtext')]);
  await read('first line\rsecond line\r');
  expect(got.slice(1)).toEqual([...'first line\rsecond line\r']);
});

it('hands a paste on when it is flushed', async () => {
  const { got, pastes, read } = open();
  await read('first line\rsecond line');
  pastes.take('x');
  pastes.flush();
  expect(got).toEqual([marked('first line\rsecond linex')]);
});
