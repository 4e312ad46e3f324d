export interface ChangedFile {
  path: string;
  /** `written` is a change of a known file, and otherwise a new file. */
  action: 'created' | 'modified' | 'deleted' | 'moved' | 'written';
  /** Where a file was before it was moved. That path has an entry too: `moved`. */
  from?: string;
}
