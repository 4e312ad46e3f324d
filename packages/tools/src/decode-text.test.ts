import { expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const hex = (bytes: string) => Buffer.from(bytes, 'hex');
const WESTERN = 'Windows-1252';

it.each<[string, Uint8Array, string, string | undefined]>([
  ['UTF-8', Buffer.from('größe'), 'größe', undefined],
  ['an empty file', Buffer.alloc(0), '', undefined],
  ['UTF-16, little-endian', Buffer.from('\ufeffweite Grüße', 'utf16le'), 'weite Grüße', 'UTF-16LE'],
  ['UTF-16, big-endian', hex('feff007700e4'), 'wä', 'UTF-16BE'],
  ['UTF-16 without text', hex('fffe'), '', 'UTF-16LE'],
  ['a sentence in Latin-1', latin('Grüße für Köln'), 'Grüße für Köln', WESTERN],
  ['one letter', latin('é'), 'é', WESTERN],
  ['three letters', latin('été\n'), 'été\n', WESTERN],
  ['two letters in a row', latin('créée'), 'créée', WESTERN],
  ['a euro sign', hex('38393a3b80'), '89:;€', WESTERN],
])('decodes %s', (_name, bytes, text, encoding) => {
  expect(decodeText(bytes)).toEqual({ text, encoding });
});

it.each<[string, Uint8Array]>([
  ['Shift-JIS', hex('93fa967b8cea82cc8365834c8358836782c582b78142')],
  ['two characters of Shift-JIS', hex('82a082a2')],
  ['a word in KOI8-R', hex('f0d2c9d7c5d4')],
  ['UTF-16 with half a character', hex('fffe61')],
  ['UTF-32', hex('fffe00006100000062000000')],
  ['UTF-8 with a NUL', Buffer.from('a\0b')],
  ['Latin-1 with a NUL', latin('é\0')],
  ['the header of gzip', hex('1f8b0800000000000003')],
  ['an ELF program', hex('7f454c4602010100000000000000000003003e0001')],
  ['random bytes', hex('8f1b07e2c94d30a5f77a11d6')],
])('does not decode %s', (_name, bytes) => {
  expect(decodeText(bytes)).toBeUndefined();
});
