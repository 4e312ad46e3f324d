import { describe, expect, it } from 'vitest';
import { createLedgerFold } from '../ledger/ledger-facts.ts';
import { SECTIONED_NARRATIVE } from './sectioned-narrative.ts';
import { SECTION_HEADINGS } from './sections.ts';

const written = SECTION_HEADINGS.map((heading) => `### ${heading}\n${'x'.repeat(500)}`).join('\n\n');

describe('a narrative of sections', () => {
  it.each([
    ['that no cut makes small enough', 1],
    ['that just fits once each section is cut', 700],
    ['that fits', 100_000],
  ])('ends with all sections, for a text %s', (_, maxTokens) => {
    const facts = {
      maxTokens,
      previous: '',
      round: 2,
      messages: [],
      fold: createLedgerFold(),
      count: (text: string) => text.length,
    };
    const laidOut = SECTIONED_NARRATIVE.layOut(written, facts) ?? '';
    for (const heading of SECTION_HEADINGS) expect(laidOut).toContain(`### ${heading}`);
    expect(laidOut.length).toBeLessThan(maxTokens < 1_000 ? 1_000 : written.length + 200);
    const computed = SECTIONED_NARRATIVE.fromFacts({ ...facts, previous: written });
    for (const heading of SECTION_HEADINGS) expect(computed).toContain(`### ${heading}`);
  });
});
