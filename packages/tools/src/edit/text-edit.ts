export interface EditInput {
  path: string;
  /** At least one. Applied all or none. */
  edits: TextEdit[];
}

export interface TextEdit {
  old: string;
  new: string;
  all: boolean;
  /** How many matches there must be. */
  expected?: number;
  /** The text consists of whole lines. */
  wholeLines?: boolean;
}
