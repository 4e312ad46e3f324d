import { createHash } from 'node:crypto';
import { deflateRawSync, gzipSync } from 'node:zlib';
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

/** Bytes as even as those of compressed data, the same in each run. */
const noise = (length: number) => createHash('shake256', { outputLength: length }).update('noise').digest();
const SHIFT_JIS = Buffer.from('93fa967b8cea82cc8365834c8358836782c582b78142', 'hex');
const ELF = Buffer.from('7f454c4602010100000000000000000003003e0001000000', 'hex');

test.each<[string, Uint8Array, boolean]>([
  ['UTF-8 with escape sequences', Buffer.from('plain text\n\x1b[31mred\x1b[0m\r\n'), false],
  ['paths that end in NUL', Buffer.from('./a file\0./another file\0./third file\0'), false],
  ['nothing', new Uint8Array(), false],
  ['a chunk that begins inside a character', Buffer.from('größe').subarray(3), false],
  ['Latin-1', Buffer.from('grüße aus köln', 'latin1'), false],
  ['one letter of Latin-1', Buffer.from('é', 'latin1'), false],
  ['a line of Latin-1 with three letters', Buffer.from('été\n', 'latin1'), false],
  ['quotes and a euro sign of Windows-1252', Buffer.from([0x93, 0x80, 0x35, 0x94, 0x0d, 0x0a]), false],
  ['Shift-JIS', SHIFT_JIS, false],
  ['Cyrillic in KOI8-R', Buffer.from('f0d2c9d7c5d42c20cdc9d221', 'hex'), false],
  ['Latin-1 with a form feed and colours', Buffer.from('\x0cé\x1b[1mà\x1b[0m', 'latin1'), false],
  ['UTF-16', Buffer.from('\ufeffwide', 'utf16le'), true],
  ['Latin-1 with a NUL', Buffer.from('\0é\0é', 'latin1'), true],
  ['an ELF program', ELF, true],
  ['the header of gzip', Buffer.from('1f8b0800000000000003', 'hex'), true],
  ['a small gzip file', gzipSync('hello'), true],
  ['compressed data without a header', deflateRawSync(noise(3_000)), true],
  ['64 random bytes', noise(64), true],
  ['random bytes', noise(5_000), true],
  ['random bytes without NUL', noise(5_000).filter((byte) => byte !== 0), true],
])('decides whether %s is binary', (_name, bytes, isBinary) => {
  expect(looksBinary(bytes)).toBe(isBinary);
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
