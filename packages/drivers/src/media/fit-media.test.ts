import { deflateSync } from 'node:zlib';
import type { ViewMessage } from '@longhaul/context/engine';
import { imageSizeOf } from '@longhaul/models';
import { noisePng, pngOf } from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import { MediaFitter } from './fit-media.ts';
import { mediaLimits } from './media-limits.ts';

const SMALL = noisePng(4, 4).toString('base64');
const LIMITS = mediaLimits('anthropic');

const image = (data: string): ViewMessage => ({
  role: 'user',
  content: [{ type: 'image', data, mediaType: 'image/png' }],
});
const file = (bytes: string, filename: string): ViewMessage => ({
  role: 'user',
  content: [
    { type: 'file', data: Buffer.from(bytes).toString('base64'), mediaType: 'application/pdf', filename },
  ],
});
const first = (messages: readonly ViewMessage[], index = 0) => messages[index]?.content[0];

it('returns sound media and messages without media unchanged', async () => {
  const fitter = new MediaFitter(LIMITS);
  const messages = [
    image(SMALL),
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] } satisfies ViewMessage,
  ];
  expect(await fitter.fit(messages)).toEqual({ messages, leftOut: [] });
  expect((await fitter.fit(messages)).messages).toBe(messages);
});

it('scales an image down whose base64 text exceeds the limit, although its bytes do not', async () => {
  const large = noisePng(1_200, 1_200);
  expect(large.length).toBeLessThan(5_242_880);
  expect(large.toString('base64').length).toBeGreaterThan(5_242_880);
  const fitter = new MediaFitter(LIMITS);
  const { messages, leftOut } = await fitter.fit([image(large.toString('base64'))]);
  const fitted = first(messages);
  expect(leftOut).toEqual([]);
  if (fitted?.type !== 'image') throw new Error('The image is missing.');
  expect(fitted.data.length).toBeLessThanOrEqual(5_242_880);
  expect(imageSizeOf(fitted.data)?.width).toBeGreaterThan(250);
  expect(fitted.mediaType).toBe('image/jpeg');
  // The same image gives the same bytes, so the provider's cache applies.
  expect((await new MediaFitter(LIMITS).fit([image(large.toString('base64'))])).messages).toEqual(messages);
});

it('scales an image down whose side is too long, and keeps a small PNG one', async () => {
  const fitter = new MediaFitter({ ...LIMITS, imageSide: 100 });
  const { messages } = await fitter.fit([image(noisePng(200, 20).toString('base64'))]);
  const fitted = first(messages);
  expect(fitted).toMatchObject({ type: 'image', mediaType: 'image/png' });
  expect(fitted?.type === 'image' && imageSizeOf(fitted.data)).toEqual({ width: 100, height: 10 });
});

it('applies the smaller side above a number of images', async () => {
  const fitter = new MediaFitter({ ...LIMITS, manyImages: { above: 1, side: 10 } });
  const wide = image(noisePng(20, 20).toString('base64'));
  expect(first((await fitter.fit([wide])).messages)).toBe(wide.content[0]);
  expect(first((await fitter.fit([wide, image(SMALL)])).messages)).not.toBe(wide.content[0]);
});

it('replaces damaged, protected and oversized files by a line, and reports each once', async () => {
  const fitter = new MediaFitter({ ...LIMITS, fileChars: 1_000 });
  const sound = '%PDF-1.7\n%%EOF\n';
  const tool: ViewMessage = {
    role: 'assistant',
    content: [
      {
        type: 'tool',
        callId: 'c',
        name: 'read',
        input: {},
        isError: false,
        output: [{ type: 'image', data: SMALL.slice(0, 40), mediaType: 'image/png' }],
      },
    ],
  };
  const asked = [
    tool,
    file('%PDF-1.7\n/Encrypt 5 0 R\n%%EOF', 'a.pdf'),
    file(`${sound}${' '.repeat(1_000)}${sound}`, 'b.pdf'),
    file(sound, 'c.pdf'),
  ];
  const { messages, leftOut } = await fitter.fit(asked);
  const lines = leftOut.map(({ reason }) => reason);
  expect(lines).toEqual([
    'An image of type image/png was left out: it is damaged.',
    'A file "a.pdf" of type application/pdf was left out: it is protected by a password.',
    'A file "b.pdf" of type application/pdf was left out: it has 1.0k bytes, and at most 750 bytes are accepted. Make a smaller copy with bash, and read that.',
  ]);
  expect(messages[0]).toMatchObject({ content: [{ output: [{ type: 'text', text: `[${lines[0]}]` }] }] });
  expect(first(messages, 3)).toBe(first(asked, 3));
  expect((await fitter.fit(asked)).leftOut).toEqual([]);
});

it('sends a PNG without an extra chunk whose checksum is wrong', async () => {
  const sound = Buffer.from(SMALL, 'base64');
  const profile = Buffer.concat([Buffer.from([0, 0, 0, 3]), Buffer.from('iCCPabc'), Buffer.alloc(4)]);
  // The header of a PNG has 33 bytes.
  const damaged = Buffer.concat([sound.subarray(0, 33), profile, sound.subarray(33)]);
  const { messages, leftOut } = await new MediaFitter(LIMITS).fit([image(damaged.toString('base64'))]);
  expect(leftOut).toEqual([]);
  expect(first(messages)).toEqual({ type: 'image', data: SMALL, mediaType: 'image/png' });
});

it('leaves out an image that takes too much memory to scale, and names the limit and what to do', async () => {
  const huge = pngOf({ width: 9_000, height: 9_000 }, deflateSync(Buffer.alloc(100)));
  const { messages, leftOut } = await new MediaFitter(LIMITS).fit([image(huge.toString('base64'))]);
  const line =
    'An image of type image/png was left out: it has 9000 × 9000 pixels, and at most 60,000,000 can be scaled down. Make a copy with at most 8,000 pixels per side with bash, and read that.';
  expect(leftOut).toEqual([{ mediaType: 'image/png', reason: line }]);
  expect(first(messages)).toEqual({ type: 'text', text: `[${line}]` });
});

it('scales an image of many pixels down to 2,000 in one step', async () => {
  const [width, height] = [16_200, 1_000];
  const wide = pngOf({ width, height }, deflateSync(Buffer.alloc(height * (1 + width * 3)), { level: 1 }));
  const { messages } = await new MediaFitter(LIMITS).fit([image(wide.toString('base64'))]);
  const fitted = first(messages);
  expect(fitted?.type === 'image' && imageSizeOf(fitted.data)).toEqual({ width: 2_000, height: 123 });
});

it('names what is wrong with an image that cannot be made small enough', async () => {
  const fitter = new MediaFitter({ ...LIMITS, imageChars: 400 });
  const { leftOut } = await fitter.fit([image(noisePng(40, 40).toString('base64'))]);
  expect(leftOut[0]?.reason).toContain('it has more than 300 bytes, also as a small JPEG. Make a copy with');
});

describe('media that are too large together', () => {
  const pictures = [10, 11, 12, 13, 14, 15].map((side) => image(noisePng(side, side).toString('base64')));
  const kept = async (count: number, limits: Partial<typeof LIMITS>) => {
    const { messages } = await new MediaFitter({ ...LIMITS, ...limits }).fit(pictures.slice(0, count));
    return messages.map((message) => message.content[0]?.type === 'image');
  };

  it('are left out from the oldest on, several at once, so that the next ones keep the prefix', async () => {
    const limits = { images: 4 };
    expect(await kept(4, limits)).toEqual([true, true, true, true]);
    expect(await kept(5, limits)).toEqual([false, false, false, true, true]);
    expect(await kept(6, limits)).toEqual([false, false, false, true, true, true]);
  });

  it('name the limit', async () => {
    const { leftOut } = await new MediaFitter({ ...LIMITS, images: 1 }).fit(pictures.slice(0, 2));
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      'An image of type image/png was left out: it is one of the oldest, and a request can have at most 1 images and files, of 20M bytes together. Read it again if you need it.',
    ]);
  });

  it('are measured in base64', async () => {
    const sizes = pictures.map(({ content }) => (content[0]?.type === 'image' ? content[0].data.length : 0));
    const totalChars = sizes.slice(0, 3).reduce((sum, size) => sum + size, 0);
    expect(await kept(3, { totalChars })).toEqual([true, true, true]);
    expect((await kept(4, { totalChars })).at(0)).toBe(false);
    expect((await kept(4, { totalChars })).at(-1)).toBe(true);
  });
});
