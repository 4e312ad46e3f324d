import type { Line } from './instruction-line.ts';
import type { InstructionFact } from './ledger-facts.ts';

/** Counts the instructions that are left out, and names their handles for `recall`. */
export function noteAbout(
  hidden: readonly InstructionFact[],
  minor: readonly InstructionFact[],
  shown: readonly Line[],
): string[] {
  const known = new Set([...minor, ...shown.map(({ fact }) => fact)]);
  const others = hidden.filter((fact) => !known.has(fact));
  const groups = [
    ...(others.length === 0 ? [] : [`${others.length} (${handlesOf(others)})`]),
    ...(minor.length === 0 ? [] : [`${minor.length} short or repeated (${handlesOf(minor)})`]),
  ];
  return groups.length === 0
    ? []
    : [`(Instructions left out: ${groups.join(', ')}. recall reads them by handle.)`];
}

/** A longer list of handles is shown as a range. */
const MAX_HANDLES = 8;

function handlesOf(facts: readonly InstructionFact[]): string {
  const handles = facts.map(({ handle }) => handle);
  return handles.length <= MAX_HANDLES ? handles.join(' ') : `${handles[0]} to ${handles.at(-1)}`;
}
