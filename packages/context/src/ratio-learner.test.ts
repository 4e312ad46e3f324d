import { describe, expect, it } from 'vitest';
import { RatioLearner } from './ratio-learner.ts';

describe('RatioLearner', () => {
  it('learns the ratio of text from a request without media', () => {
    const ratios = new RatioLearner();
    ratios.learn({ text: 1_000, media: 0 }, 1_300);
    expect(ratios.text).toBeCloseTo(1.3);
    expect(ratios.media).toBe(1);
  });

  it('attributes the error of cheap images to the images', () => {
    const ratios = new RatioLearner();
    ratios.learn({ text: 2_000, media: 3_600 }, 2_255);
    expect(ratios.text).toBeGreaterThan(0.95);
    expect(2_000 * ratios.text + 3_600 * ratios.media).toBeCloseTo(2_255);
  });

  it('attributes the error of expensive images to the images', () => {
    const ratios = new RatioLearner();
    ratios.learn({ text: 2_000, media: 0 }, 2_000);
    ratios.learn({ text: 2_100, media: 1_200 }, 2_100 + 4_800);
    expect(ratios.text).toBeLessThan(1.02);
    expect(ratios.media).toBeCloseTo(4, 1);
  });

  it('separates text and media when the text grows beside the same images', () => {
    const ratios = new RatioLearner();
    for (let text = 1_000; text <= 20_000; text += 1_000)
      ratios.learn({ text, media: 3_600 }, text * 1.3 + 3_600 * 0.1);
    expect(ratios.text).toBeCloseTo(1.3, 1);
    expect(20_000 * ratios.text + 3_600 * ratios.media).toBeCloseTo(20_000 * 1.3 + 360);
  });

  it('stays within bounds for any reported usage', () => {
    for (const real of [1, 10_000_000]) {
      const ratios = new RatioLearner();
      ratios.learn({ text: 1_000, media: 1_200 }, real);
      expect(ratios.text).toBeGreaterThanOrEqual(0.5);
      expect(ratios.text).toBeLessThanOrEqual(3);
      expect(ratios.media).toBeGreaterThanOrEqual(0.02);
      expect(ratios.media).toBeLessThanOrEqual(5);
    }
    const ratios = new RatioLearner();
    ratios.learn({ text: 0, media: 0 }, 100);
    ratios.learn({ text: 1_000, media: 0 }, Number.POSITIVE_INFINITY);
    expect([ratios.text, ratios.media]).toEqual([1, 1]);
  });
});
