import { crc32, deflateSync } from 'node:zlib';
import { noisePng, pngOf } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { mediaProblem } from './media-problem.ts';

const png = noisePng(8, 8);
const changed = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
};
const pdf = (trailer: string) =>
  Buffer.from(`%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<< /Root 1 0 R ${trailer}>>\n%%EOF\n`);
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xd9]);
const webp = (length: number) => {
  const bytes = Buffer.alloc(28);
  bytes.write('RIFF');
  bytes.writeUInt32LE(length, 4);
  bytes.write('WEBPVP8 ', 8);
  return bytes;
};
/** The checksum of the profile is wrong. The header of a PNG has 33 bytes. */
const withProfile = (bytes: Buffer) => {
  const profile = Buffer.concat([Buffer.from([0, 0, 0, 3]), Buffer.from('iCCPabc'), Buffer.alloc(4)]);
  return Buffer.concat([bytes.subarray(0, 33), profile, bytes.subarray(33)]);
};
/** All checksums are right, but the pixels are not compressed data. */
const badPixels = pngOf({ width: 8, height: 8 }, Buffer.from('not deflated'));

it('checks the checksum and the form of a PNG', () => {
  expect(crc32(Buffer.from('IEND')).toString(16)).toBe('ae426082');
  expect(
    mediaProblem(pngOf({ width: 1, height: 1 }, deflateSync(Buffer.alloc(4))), 'image/png'),
  ).toBeUndefined();
});

it.each<[string, Buffer, string, string | undefined]>([
  ['a PNG', png, 'image/png', undefined],
  ['a PNG cut in half', png.subarray(0, png.length / 2), 'image/png', 'it is damaged'],
  ['a PNG without its end', png.subarray(0, -12), 'image/png', 'it is damaged'],
  ['a PNG with a damaged colour profile', withProfile(png), 'image/png', undefined],
  ['a PNG with a flipped byte', changed(png, 60), 'image/png', 'it is damaged'],
  ['a PNG whose pixels cannot be decompressed', badPixels, 'image/png', 'it is damaged'],
  ['text named PNG', Buffer.from('hello, this is no picture'), 'image/png', 'it is damaged'],
  ['an empty file', Buffer.alloc(0), 'image/png', 'it is empty'],
  ['a JPEG', JPEG, 'image/jpeg', undefined],
  ['a JPEG with bytes after its end', Buffer.concat([JPEG, Buffer.alloc(40)]), 'image/jpeg', undefined],
  ['a JPEG without its end', JPEG.subarray(0, -2), 'image/jpeg', 'it is damaged'],
  ['a GIF', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(20)]), 'image/gif', undefined],
  ['a GIF of its signature alone', Buffer.from('GIF89a'), 'image/gif', 'it is damaged'],
  ['a WebP', webp(20), 'image/webp', undefined],
  ['a WebP that is shorter than it says', webp(4_000), 'image/webp', 'it is damaged'],
  ['a PDF', pdf(''), 'application/pdf', undefined],
  ['a protected PDF', pdf('/Encrypt 5 0 R '), 'application/pdf', 'it is protected by a password'],
  [
    'a PDF protected in its trailer',
    pdf('/Encrypt << /V 2 >> '),
    'application/pdf',
    'it is protected by a password',
  ],
  ['a PDF cut in half', pdf('').subarray(0, 30), 'application/pdf', 'it is damaged'],
  ['an unknown kind', Buffer.from('?'), 'image/heic', undefined],
])('judges %s', (_name, bytes, mediaType, problem) => {
  expect(mediaProblem(bytes, mediaType)).toBe(problem);
});
