export const REQUEST_HEADING = 'Current request';
export const STATE_HEADING = 'State of the work';
export const TODO_HEADING = 'Todo list';
export const KEPT_HEADING = 'Kept word for word (set with todo)';

const BETWEEN = /\n\n(?=### )/;

/** The sections that come before the narrative. */
const LEADING = [REQUEST_HEADING, STATE_HEADING, TODO_HEADING, KEPT_HEADING];

/** Returns the section of a ledger with this heading; empty if it has none. */
export function sectionOf(ledger: string, heading: string): string {
  return ledger.split(BETWEEN).find((section) => section.startsWith(`### ${heading}\n`)) ?? '';
}

/**
 * Splits a ledger into what comes before the narrative and what follows it. A ledger of an earlier release has its
 * first section elsewhere: all of it follows the narrative.
 */
export function splitLedger(ledger: string): { leading: string; rest: string } {
  const sections = ledger.split(BETWEEN);
  const isLeading = (section: string) => LEADING.some((heading) => section.startsWith(`### ${heading}`));
  const first = sections.findIndex((section) => !isLeading(section));
  const end = first === -1 ? sections.length : first;
  return { leading: sections.slice(0, end).join('\n\n'), rest: sections.slice(end).join('\n\n') };
}
