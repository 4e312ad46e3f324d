import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageSizeOf } from './image-size.ts';

const SIZE = { width: 1_283, height: 717 };

function base64(...parts: (string | number[] | Uint8Array)[]): string {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64');
}

const PNG = base64(
  '\x89PNG\r\n\x1a\n',
  [0, 0, 0, 13],
  'IHDR',
  [0, 0, 5, 3, 0, 0, 2, 205, 8, 6, 0, 0, 0],
  deflateSync(Buffer.alloc(900)),
);
const GIF = base64('GIF89a', [3, 5, 205, 2, 0, 0, 0]);
const FRAME = [0xff, 0xc2, 0, 17, 8, 2, 205, 5, 3, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1];
/** The first segment has a preview of another size, as in photos. */
const PREVIEW = [0xff, 0xc0, 0, 17, 8, 0, 9, 0, 9, 3];

function jpeg(profileBytes: number): string {
  const length = profileBytes + 2;
  const exif = [
    0xff,
    0xe1,
    length >> 8,
    length & 0xff,
    ...PREVIEW,
    ...Array.from({ length: profileBytes - PREVIEW.length }, () => 7),
  ];
  return base64([0xff, 0xd8], exif, [0xff, 0xff, 0xdb, 0, 4, 1, 1], FRAME);
}

const webp = (...chunk: (string | number[])[]) => base64('RIFF', [0, 0, 0, 0], 'WEBP', ...chunk);
const BITS = (SIZE.width - 1) | ((SIZE.height - 1) << 14);

describe('imageSizeOf', () => {
  it.each([
    ['PNG', PNG],
    ['PNG in a data URL', `data:image/png;base64,${PNG}`],
    ['GIF', GIF],
    ['JPEG', jpeg(100)],
    ['JPEG after a colour profile of 60 kB', jpeg(60_000)],
    ['WebP, lossy', webp('VP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 3, 5, 205, 2])],
    [
      'WebP, lossless',
      webp('VP8L', [0, 0, 0, 0, 0x2f, BITS & 255, (BITS >> 8) & 255, (BITS >> 16) & 255, BITS >>> 24]),
    ],
    ['WebP, extended', webp('VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 2, 5, 0, 204, 2, 0])],
  ])('reads a %s', (_, image) => {
    expect(imageSizeOf(image)).toEqual(SIZE);
    expect(
      imageSizeOf(
        image.replaceAll('+', '-').replaceAll('/', '_').replace('data:image_png', 'data:image/png'),
      ),
    ).toEqual(SIZE);
  });

  it.each([
    ['nothing', ''],
    ['text', Buffer.from('Hello, world, this is no image at all.').toString('base64')],
    ['a cut header', PNG.slice(0, 20)],
    ['a JPEG without a frame', base64([0xff, 0xd8, 0xff, 0xd9])],
    ['an SVG', Buffer.from('<svg width="3" height="4"/>').toString('base64')],
    ['a link', 'https://example.com/a.png'],
  ])('returns no size for %s', (_, data) => {
    expect(imageSizeOf(data)).toBeUndefined();
  });

  it('never throws on damaged headers', () => {
    const heads = [PNG, GIF, jpeg(50), webp('VP8X', [10, 0])].map((image) =>
      Buffer.from(image, 'base64').subarray(0, 12),
    );
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 300 }), (head, tail) => {
        const size = imageSizeOf(base64(head, tail));
        if (size !== undefined) expect(size.width * size.height).toBeGreaterThan(0);
      }),
    );
  });
});
