export interface ChangedFile {
  path: string;
  /** `written` is a change of a known file, and otherwise a new file. */
  action: 'created' | 'modified' | 'deleted' | 'written';
}
