import { expect, it } from 'vitest';
import { bufferBytes, textIn } from './buffer-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (found: Uint8Array | undefined) =>
  found === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(found);

it.each([
  ['unchanged', 'a\nb\n', 'a\nb\n', 'a\nb\n'],
  ['unchanged with CRLF line ends', 'a\nb\n', 'a\r\nb\r\n', 'a\r\nb\r\n'],
  ['unchanged with a byte order mark', 'a\n', '\ufeffa\n', '\ufeffa\n'],
  ['unchanged, given without its last line end', 'a\nb', 'a\nb\n', 'a\nb\n'],
  ['changed', 'a\nX\n', 'a\nb\n', 'a\nX\n'],
  ['changed with CRLF line ends', 'a\nX\n', 'a\r\nb\r\n', 'a\r\nX\r\n'],
  ['changed with a byte order mark', 'X\n', '\ufeffa\n', '\ufeffX\n'],
  ['changed with mixed line ends', 'a\nX\n', 'a\r\nb\n', 'a\nX\n'],
  ['emptied', '', 'a\n', ''],
])('keeps the form of the file of a buffer that is %s', (_state, buffer, saved, expected) => {
  expect(textOf(bufferBytes(buffer, bytes(saved)))).toBe(expected);
});

it('treats an empty buffer without a file as a missing file', () => {
  expect(bufferBytes('', undefined)).toBeUndefined();
  expect(textOf(bufferBytes('new\n', undefined))).toBe('new\n');
});

it('does not treat bytes that are not UTF-8, or that contain a NUL, as text', () => {
  expect(textIn(Uint8Array.of(0xff, 0xfe))).toBeUndefined();
  expect(textIn(Uint8Array.of(0x61, 0))).toBeUndefined();
  expect(textIn(bytes('é'))).toBe('é');
});
