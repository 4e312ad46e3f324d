import { isBlank } from '@longhaul/protocol';
/** Headings of the six sections, in order. */
export const SECTION_HEADINGS = [
  'Original Task',
  'Completed Work',
  'Key Technical Decisions',
  'Current State',
  'Pending Work',
  'Errors & Resolutions',
] as const;

export type SectionHeading = (typeof SECTION_HEADINGS)[number];

/** The text of each section, without its heading. */
export type Sections = Record<SectionHeading, string>;

const HEADING = new RegExp(
  `^[#*\\d.)\\s]*(${SECTION_HEADINGS.join('|').replace('&', '(?:&|and)')})[*:\\s]*$`,
  'i',
);

/** Returns the sections of a text that are not empty, however their headings are marked. */
export function readSections(text: string): Partial<Sections> {
  const sections: Partial<Sections> = {};
  let heading: SectionHeading | undefined;
  for (const line of text.split('\n')) {
    const found = headingOf(line);
    if (found !== undefined) heading = found;
    else if (heading !== undefined) sections[heading] = `${sections[heading] ?? ''}${line}\n`;
  }
  for (const name of SECTION_HEADINGS) {
    const content = sections[name]?.trim() ?? '';
    if (isBlank(content)) delete sections[name];
    else sections[name] = content;
  }
  return sections;
}

function headingOf(line: string): SectionHeading | undefined {
  if (line.length > 80) return undefined;
  const named = HEADING.exec(line)?.[1]?.toLowerCase().replace(' and ', ' & ');
  return SECTION_HEADINGS.find((heading) => heading.toLowerCase() === named);
}
