import { cutMiddle } from '../cut-middle.ts';
import {
  type NarrativeAsk,
  type NarrativeFacts,
  type NarrativeForm,
  SUMMARY_INSTRUCTION,
  withoutHeadings,
} from '../narrative.ts';
import type { TokenCounter } from '../tokens.ts';
import { factSections } from './fact-sections.ts';
import { readSections, SECTION_HEADINGS, type SectionHeading, type Sections } from './sections.ts';

/**
 * A narrative of six sections, which are always present. A section that the model leaves out is filled from the ledger.
 * The task never comes from the model.
 */
export const SECTIONED_NARRATIVE: NarrativeForm = {
  maxTokens: 800,
  instruction,
  layOut(text, facts) {
    if (isData(text)) return undefined;
    const found = readSections(text);
    const isSectioned = Object.keys(found).length >= MIN_SECTIONS;
    const written: Partial<Sections> = isSectioned
      ? found
      : { 'Current State': withoutHeadings(text).trim() };
    const known = factSections(facts, readSections(facts.previous));
    return render({ ...known, ...written, 'Original Task': known['Original Task'] }, facts);
  },
  fromFacts: (facts) => render(factSections(facts, readSections(facts.previous)), facts),
};

/** Of the six sections. An answer with fewer is prose: all of it is the current state. */
const MIN_SECTIONS = 3;

/** Whether a text is an object or a list, which no one asked for. */
function isData(text: string): boolean {
  return /^\s*(?:```\w*\s*)?[[{]\s*["[{]/.test(text);
}

function instruction({ maxTokens, previous }: NarrativeAsk): string {
  const words = Math.max(60, Math.floor(maxTokens * 0.5));
  const update =
    previous === ''
      ? ''
      : ' Integrate the summary above where it still matters; write one summary without repetitions.';
  return `${SUMMARY_INSTRUCTION} for yourself: you will continue without the older messages. No tool calls, at most ${words} words, in exactly these sections:

### Completed Work
| File | Action | Description |
| --- | --- | --- |
### Key Technical Decisions
decisions and their reasons, as a list
### Current State
what works, what doesn't, what is in progress
### Pending Work
- [ ] a checklist of next steps
### Errors & Resolutions
failures and their solutions

The task and the user's instructions are kept elsewhere. Don't invent anything.${update}`;
}

function render(sections: Sections, { round, maxTokens, count }: NarrativeFacts): string {
  const lead = round === 1 ? '' : `${incorporated(round - 1)}\n\n`;
  const shown = { ...sections };
  let text = lead + joined(shown);
  while (count(text) > maxTokens && shorten(shown, count)) text = lead + joined(shown);
  return text;
}

function incorporated(rounds: number): string {
  return `This summary incorporates ${rounds} previous ${rounds === 1 ? 'round' : 'rounds'} of compaction.`;
}

function joined(sections: Sections): string {
  return SECTION_HEADINGS.map((heading) => `### ${heading}\n${sections[heading]}`).join('\n\n');
}

const LEAST_CHARS = 60;
const REST = '(cut here)';

/** Shortens the longest section that can be shortened, at its end. Returns false if there is none. */
function shorten(sections: Sections, count: TokenCounter): boolean {
  const byLength = SECTION_HEADINGS.filter((heading) => sections[heading].length > LEAST_CHARS)
    .map((heading) => ({ heading, tokens: count(sections[heading]) }))
    .sort((left, right) => right.tokens - left.tokens);
  for (const { heading } of byLength) {
    const cut = shorter(heading, sections[heading]);
    // The note about the cut can be longer than what it replaces.
    if (cut.length >= sections[heading].length) continue;
    sections[heading] = cut;
    return true;
  }
  return false;
}

function shorter(heading: SectionHeading, text: string): string {
  const keepChars = Math.max(LEAST_CHARS, Math.floor(text.length * 0.85));
  // The end of the task is as important as its beginning.
  if (heading === 'Original Task') return cutMiddle(text, keepChars).text;
  const whole = text.endsWith(REST) ? text.slice(0, -REST.length).trimEnd() : text;
  const lines = whole.split('\n');
  while (lines.length > 1 && lines.join('\n').length > keepChars - REST.length) lines.pop();
  const kept = lines.join('\n').slice(0, keepChars - REST.length);
  return `${kept.trimEnd()}\n${REST}`;
}
