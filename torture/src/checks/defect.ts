/**
 * The defects that the last line of `--json` counts. `unknown-outcome` concerns calls that wait for a child. `corruption` is any other defect, such as a damaged row or a run
 * without an end.
 */
export type DefectKind =
  | 'lost-message'
  | 'duplicate-message'
  | 'orphan-call'
  | 'repeated-side-effect'
  | 'unknown-outcome'
  | 'corruption';

export interface Defect {
  kind: DefectKind;
  /** Description of the defect, with the names to find it in the records. */
  what: string;
}

export function defect(kind: DefectKind, what: string): Defect {
  return { kind, what };
}
