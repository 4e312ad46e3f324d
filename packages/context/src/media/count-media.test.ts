import { describe, expect, it } from 'vitest';
import { IMAGE_TOKENS } from '../tokens.ts';
import { countAnyMedia, countMediaOf } from './count-media.ts';

function png(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(24);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

describe('countMediaOf', () => {
  it.each([
    ['gpt-4o', 765],
    ['claude-sonnet-4-5', 1_399],
    ['gemini-2.5-pro', 1_032],
  ])('counts an image for %s by its pixels, as bytes and as Base64', (model, tokens) => {
    const data = png(1_024, 1_024);
    expect(countMediaOf(model)({ mediaType: 'image/png', data })).toBe(tokens);
    expect(countMediaOf(model)({ mediaType: 'image/*', data: Buffer.from(data).toString('base64') })).toBe(
      tokens,
    );
  });

  it('counts an image of low detail as the provider does', () => {
    const low = { mediaType: 'image/*', detail: 'low' } as const;
    expect(countMediaOf('gpt-4o')(low)).toBe(85);
    expect(countMediaOf('gpt-5')(low)).toBe(70);
    expect(countMediaOf('gpt-4o-mini')(low)).toBe(2_833);
  });

  it('counts PDFs by their pages or their size, and audio by its size', () => {
    const count = countMediaOf('claude-sonnet-4-5');
    const data = new Uint8Array(480_000);
    expect(count({ mediaType: 'application/pdf', data })).toBe(10 * 3_500);
    expect(count({ mediaType: 'application/pdf', pages: 3 })).toBe(3 * 3_500);
    expect(count({ mediaType: 'audio/wav', data })).toBe(960);
  });

  it('assumes a size if there is only a link', () => {
    expect(countMediaOf('gpt-4o')({ mediaType: 'image/*' })).toBe(IMAGE_TOKENS);
    expect(countMediaOf('gpt-4o')({ mediaType: 'application/pdf' })).toBe(IMAGE_TOKENS);
  });

  it('counts for an unknown provider as the more expensive of the common ones', () => {
    const image = { mediaType: 'image/png', data: png(1_024, 1_024) };
    expect(countAnyMedia(image)).toBe(1_399);
    expect(countAnyMedia({ ...image, detail: 'low' })).toBe(350);
  });
});
