import { describe, expect, it } from 'vitest';
import { textOf } from './recorded-file.tsx';

describe('textOf', () => {
  it('reads UTF-8', async () => expect(await textOf(new Blob(['grün\n']))).toBe('grün\n'));

  it.each([
    ['other bytes', Uint8Array.of(0xff, 0xfe, 0x41)],
    ['NUL', Uint8Array.of(0x41, 0, 0x42)],
  ])('takes %s for no text', async (_, bytes) => expect(await textOf(new Blob([bytes]))).toBeUndefined());
});
