import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SseEvent, SseParser } from './sse-parser.ts';

function read(...pieces: string[]): SseEvent[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const message = (data: string, id = ''): SseEvent => ({ type: 'message', data, id });

describe('server-sent events', () => {
  it.each([
    ['one line', 'data: a\n\n', [message('a')]],
    ['joined lines, with one leading space removed', 'data:a\ndata:  b\ndata\n\n', [message('a\n b\n')]],
    ['CRLF, CR and LF', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', [message('a'), message('b'), message('c')]],
    ['a stream, ignoring comments and unknown fields', ': hi\nfoo: bar\ndata: a\n\n', [message('a')]],
    ['no event from a block without data', 'event: x\nid: 1\n\ndata: a\n\n', [message('a', '1')]],
    [
      'a name that applies to one event only',
      'event: x\ndata: a\n\ndata: b\n\n',
      [{ type: 'x', data: 'a', id: '' }, message('b')],
    ],
    [
      'an id that stays in effect, ignoring one with a NUL character',
      'id: 7\ndata: a\n\nid: 8\0\ndata: b\n\nid\ndata: c\n\n',
      [message('a', '7'), message('b', '7'), message('c')],
    ],
    ['no event from an unfinished block', 'data: a\n\ndata: b\n', [message('a')]],
  ])('reads %s', (_, text, events) => {
    expect(read(text)).toEqual(events);
  });

  it('accepts retry only as digits', () => {
    const parser = new SseParser();
    parser.push('retry: 1500\n');
    parser.push('retry: 2s\n');
    expect(parser.retryMs).toBe(1500);
  });

  it('reads the same events for any split of the text', () => {
    const line = fc.constantFrom('data: ä€😀', 'data', 'id: 4', 'event: x', ': c', '', 'data:\ttab');
    const end = fc.constantFrom('\n', '\r', '\r\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
        const text = lines.map((pair) => pair.join('')).join('');
        const at = [0, ...cuts.filter((cut) => cut <= text.length).toSorted((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((stop, index) => text.slice(at[index], stop));
        expect(read(...pieces)).toEqual(read(text));
      }),
    );
  });

  it('searches every character of an event a few times at most, however many pieces it arrives in', () => {
    const pieces = ['data: ', ...Array.from({ length: 2_000 }, () => 'x'.repeat(4_096)), '\n\n'];
    const characters = 2_000 * 4_096;
    using counter = countSearchedCharacters();
    const [event] = read(...pieces);
    const { searched } = counter;
    expect(event?.data).toHaveLength(characters);
    // Splitting the whole line again for every piece searches a thousand times as many.
    expect(searched).toBeGreaterThan(characters);
    expect(searched).toBeLessThan(4 * characters);
  });
});

/** Counts the characters of the strings that are searched until it is disposed of. */
function countSearchedCharacters(): Disposable & { searched: number } {
  const restore = () => Object.defineProperties(String.prototype, originals);
  const counter = { searched: 0, [Symbol.dispose]: restore };
  const originals: PropertyDescriptorMap = {};
  for (const name of SEARCHES) {
    const search: (...args: unknown[]) => unknown = Reflect.get(String.prototype, name);
    originals[name] = { value: search, configurable: true, writable: true };
    Reflect.set(String.prototype, name, function (this: string, ...args: unknown[]) {
      counter.searched += this.length;
      return search.apply(this, args);
    });
  }
  return counter;
}

const SEARCHES = 'split indexOf lastIndexOf includes search match matchAll replace replaceAll'.split(' ');
