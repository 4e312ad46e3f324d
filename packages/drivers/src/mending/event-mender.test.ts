import { expect, onTestFinished, test, vi } from 'vitest';
import { createEventMender } from './event-mender.ts';

function mend(chunks: readonly string[], ignored: string[] = []): string {
  const onIgnored = (text: string) => void ignored.push(text);
  const mender = createEventMender(
    { mend: () => true },
    { onlyForeign: (event) => new Error(JSON.stringify(event)), onIgnored },
  );
  const bytes = chunks.map((chunk) => mender.push(Buffer.from(chunk)));
  return Buffer.concat([...bytes, mender.end()]).toString();
}

test('passes lines that arrive in any pieces', () => {
  const stream = ': hello\ndata: {"a":"ä"}\n\ndata: {"b":1}\n\nevent: end\ndata: [DONE]\n\n';
  for (let size = 1; size < stream.length; size += 1) {
    expect(mend(stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).toBe(stream);
  }
});

test('reads each line end that events can have, wherever the text is split', () => {
  const stream = ': hello\r\ndata: {"a":1}\r\rdata: {"b":2}\r\n\r\ndata: {"c":\ndata: 3}\r\r\n';
  for (let size = 1; size < stream.length; size += 1) {
    expect(mend(stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).toBe(
      ': hello\ndata: {"a":1}\n\ndata: {"b":2}\n\ndata: {"c":3}\n\n',
    );
  }
});

test('splits a line of many chunks once', () => {
  const split = String.prototype.split;
  let splitChars = 0;
  const spy = vi.spyOn(String.prototype, 'split').mockImplementation(function (this: string, ...args) {
    splitChars += this.length;
    return Reflect.apply(split, this, args);
  });
  onTestFinished(() => spy.mockRestore());
  const line = `data: {"a":"${'x'.repeat(500_000)}"}\n\n`;
  const chunks = Array.from({ length: Math.ceil(line.length / 1_000) }, (_, index) =>
    line.slice(index * 1_000, (index + 1) * 1_000),
  );
  expect(mend(chunks)).toBe(line);
  expect(splitChars).toBeLessThan(2 * line.length);
});

test('leaves out text wherever it is split, but not what follows it without a blank line', () => {
  const stream = 'data: ping\n\ndata: {"a":1}\n\nevent: load\ndata: 0.5 of\ndata: {"b":2}\n\ndata: [END]\n\n';
  for (let size = 1; size < stream.length; size += 1) {
    const ignored: string[] = [];
    const mended = mend(stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [], ignored);
    expect(mended.match(/^data: .*$/gm)).toEqual(['data: {"a":1}', 'data: {"b":2}']);
    expect(ignored).toEqual(['ping', '0.5 of', '[END]']);
  }
});

test('passes on JSON that is cut', () => {
  expect(mend(['data: {"a": [1\n\n'])).toBe('data: {"a": [1\n\n');
});
