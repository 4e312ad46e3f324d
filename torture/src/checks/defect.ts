/** What the last line counts. `corruption` is everything that is neither of the others: a damaged row, a run without an end. */
export type DefectKind =
  | 'lost-message'
  | 'duplicate-message'
  | 'orphan-call'
  | 'repeated-side-effect'
  | 'corruption';

export interface Defect {
  kind: DefectKind;
  /** What was expected and what was found, with the names by which it is found again in the records. */
  what: string;
}

export function defect(kind: DefectKind, what: string): Defect {
  return { kind, what };
}
