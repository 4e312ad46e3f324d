import { expect, test } from 'vitest';
import { createStreamSanitizer, looksBinary, sanitizeText, sanitizeToolResult } from './output-sanitizer.ts';

test.each([
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['a title', '\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link', 'textlink'],
  ['cursor moves', 'a\x1b[2K\x1b[1Gb\x1b(Bc', 'abc'],
  ['NUL and bell', 'a\0b\x07c\x7f', 'abc'],
  ['a progress bar', '10%\r20%\r100%\ndone', '100%\ndone'],
  ['a progress bar with a trailing return', '10%\r100%\r', '100%'],
  ['Windows line ends', 'a\r\nb\r\r\nc', 'a\nb\nc'],
  ['half a surrogate pair', 'a\ud83db', 'a\ufffdb'],
  ['plain text with tabs and emoji', 'a\tb\n😀 é', 'a\tb\n😀 é'],
])('sanitizeText: %s', (_what, dirty, clean) => {
  expect(sanitizeText(dirty)).toBe(clean);
});

test('cleans hostile input in linear time', () => {
  const hostile = '\x1b]'.repeat(100_000) + '\r'.repeat(100_000);
  expect(sanitizeText(hostile)).toBe('');
});

test('does not change media', () => {
  const image = { type: 'image' as const, data: 'AAAA', mediaType: 'image/png' };
  expect(sanitizeToolResult([{ type: 'text', text: 'a\0' }, image])).toEqual([
    { type: 'text', text: 'a' },
    image,
  ]);
});

test('distinguishes binary data from text', () => {
  expect(looksBinary(Buffer.from('plain text\n\x1b[31mred\x1b[0m\r\n'))).toBe(false);
  expect(looksBinary(Buffer.from('grüße aus köln', 'latin1'))).toBe(false);
  expect(looksBinary(Buffer.from('./a file\0./another file\0./third file\0'))).toBe(false);
  expect(looksBinary(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBe(true);
  expect(looksBinary(new Uint8Array())).toBe(false);
});

test('handles characters, escape sequences and progress bars that are split between chunks', () => {
  const bytes = Buffer.from('a😀b\x1b[31mred\x1b[0m 1%\r99%\nend');
  for (let size = 1; size <= bytes.length; size += 1) {
    const stream = createStreamSanitizer();
    let text = '';
    for (let at = 0; at < bytes.length; at += size) text += stream.push(bytes.subarray(at, at + size));
    expect(text + stream.end()).toBe('99%\nend');
  }
});

test('replaces binary chunks by one line with their size, and keeps the text around them', () => {
  const stream = createStreamSanitizer();
  const binary = new Uint8Array(1000);
  const text =
    stream.push(Buffer.from('before')) +
    stream.push(binary) +
    stream.push(binary) +
    stream.push(Buffer.from('after'));
  expect(text + stream.end()).toBe('before\n[binary output: 2,000 bytes]\nafter');
});

test('does not buffer an endless line', () => {
  const stream = createStreamSanitizer();
  const piece = Buffer.from('x'.repeat(50_000));
  let longest = 0;
  let total = 0;
  for (let count = 0; count < 100; count += 1) {
    const text = stream.push(piece);
    longest = Math.max(longest, text.length);
    total += text.length;
  }
  expect(longest).toBeLessThan(200_000);
  expect(total + stream.end().length).toBe(5_000_000);
});
