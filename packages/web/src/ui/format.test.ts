import { describe, expect, it } from 'vitest';
import { formatCost, formatDuration, formatTime, formatTokens, plural } from './format.ts';

describe('formats', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1.0k'],
    [31_240, '31.2k'],
    [999_949, '999.9k'],
    [999_950, '1.00M'],
  ])('shows %d tokens as %s', (tokens, text) => expect(formatTokens(tokens)).toBe(text));

  it.each([
    [-5, '0.0 s'],
    [420, '0.4 s'],
    [59_400, '59 s'],
    [185_000, '3 m 05 s'],
    [7_800_000, '2 h 10 m'],
  ])('shows %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('shows small costs with more digits', () => {
    expect([0.0042, 1.254].map(formatCost)).toEqual(['$0.0042', '$1.25']);
  });

  it('names one and many', () => {
    expect([plural(1, 'message'), plural(1_200, 'message')]).toEqual(['1 message', '1,200 messages']);
  });

  it('shows the day of another day', () => {
    const at = new Date(2026, 10, 3, 14, 5).getTime();
    expect(formatTime(at, at)).toBe('14:05');
    expect(formatTime(at, at + 86_400_000)).toBe('Nov 3, 14:05');
  });
});
