import { describe, expect, it } from 'vitest';
import { base64Bytes, fileTokens } from './file-tokens.ts';
import { imageRuleOf, imageTokens } from './image-tokens.ts';

function tokens(model: string, width: number, height: number, detail?: 'low' | 'high'): number {
  return imageTokens({ width, height }, imageRuleOf(model), detail);
}

describe('imageTokens', () => {
  // The examples of each provider's own page.
  it('OpenAI: counts tiles of 512 after scaling, or only the base for low detail', () => {
    expect(tokens('gpt-4o', 1_024, 1_024, 'high')).toBe(765);
    expect(tokens('gpt-4o', 2_048, 4_096, 'high')).toBe(1_105);
    expect(tokens('gpt-4o', 4_096, 8_192, 'low')).toBe(85);
    expect(tokens('gpt-4o', 512, 512)).toBe(255);
    expect(tokens('gpt-5', 1_024, 1_024)).toBe(70 + 4 * 140);
    expect(tokens('openai/o3', 1_024, 1_024)).toBe(75 + 4 * 150);
    expect(tokens('gpt-4o-mini', 512, 512)).toBe(2_833 + 5_667);
  });

  it("OpenAI's small models: counts patches of 32, at most 1,536, times the model’s factor", () => {
    expect(tokens('gpt-4.1-mini', 1_024, 1_024)).toBe(Math.ceil(1_024 * 1.62));
    expect(tokens('gpt-4.1-mini-2025-04-14', 1_800, 2_400)).toBe(Math.ceil(1_452 * 1.62));
    expect(tokens('gpt-5-nano', 100_000, 100_000)).toBeLessThanOrEqual(Math.ceil(1_536 * 2.46));
    expect(tokens('o4-mini', 32, 32)).toBe(2);
  });

  it('Anthropic: counts 750 pixels for each token, up to 1,600', () => {
    expect(tokens('claude-sonnet-4-5', 200, 200)).toBe(54);
    expect(tokens('claude-sonnet-4-5', 1_000, 1_000)).toBe(1_334);
    expect(tokens('claude-sonnet-4-5', 1_092, 1_092)).toBe(1_590);
    expect(tokens('claude-sonnet-4-5', 8_000, 8_000)).toBe(1_600);
    expect(tokens('claude-sonnet-4-5', 8_000, 100)).toBe(Math.ceil((1_568 * 20) / 750));
  });

  it('Google: counts 258 for a small image and for each tile of a larger one', () => {
    expect(tokens('gemini-2.5-pro', 384, 384)).toBe(258);
    expect(tokens('gemini-2.5-pro', 960, 540)).toBe(6 * 258);
    expect(tokens('gemini-2.5-pro', 3_000, 3_000)).toBe(16 * 258);
  });

  it('other models: counts patches, or like GPT-4o', () => {
    expect(tokens('qwen2.5-vl-7b', 280, 280)).toBe(100);
    expect(tokens('pixtral-12b', 160, 160)).toBe(100);
    expect(tokens('who-knows', 1_024, 1_024)).toBe(765);
  });

  it('counts at least one token for any size', () => {
    for (const model of ['gpt-4o', 'gpt-5-mini', 'claude', 'gemini', 'qwen-vl'])
      for (const [width, height] of [
        [1, 1],
        [1, 100_000],
        [100_000, 1],
      ] as const)
        expect(tokens(model, width, height)).toBeGreaterThanOrEqual(1);
  });
});

describe('fileTokens', () => {
  it('counts a PDF by its pages, known or estimated from its size', () => {
    const pdf = { mediaType: 'application/pdf', bytes: 500_000 };
    expect(fileTokens({ ...pdf, pages: 3 }, imageRuleOf('gemini-2.5-pro'))).toBe(3 * 258);
    expect(fileTokens(pdf, imageRuleOf('gemini-2.5-pro'))).toBe(10 * 258);
    expect(fileTokens(pdf, imageRuleOf('claude-opus'))).toBeGreaterThan(10 * 1_500);
  });

  it('counts other files by their size', () => {
    expect(fileTokens({ mediaType: 'text/plain', bytes: 300 }, imageRuleOf('gpt-4o'))).toBe(100);
    expect(base64Bytes(`data:text/plain;base64,${Buffer.from('x'.repeat(300)).toString('base64')}`)).toBe(
      300,
    );
  });
});
