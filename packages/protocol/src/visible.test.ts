import { describe, expect, it } from 'vitest';
import { showDirections, visible, visibleLine, visibleToApprove } from './visible.ts';

describe('showDirections', () => {
  it('shows the codes of characters that reorder text, and leaves all other text', () => {
    expect(showDirections('photo\u202egpj.exe \u2066a\u2069')).toBe('photo\\u202egpj.exe \\u2066a\\u2069');
    const kept = 'שלום \u200f1\u200e مرحبا \t\u200b\n';
    expect(showDirections(kept)).toBe(kept);
  });
});

describe('visible', () => {
  it('shows what is invisible, and keeps line ends', () => {
    expect(visible('a\u200bb\nc\u00a0')).toBe('a\\u200bb\nc\\u00a0');
    expect(visibleLine('a\nb')).toBe('a\\u000ab');
  });

  it('counts blanks that would push text out of sight', () => {
    expect(visibleToApprove(`ls${' '.repeat(20)};rm`)).toBe(`ls${' '.repeat(16)}[… 4 more blanks …];rm`);
  });
});
