import type { ChangedFile } from './changed-file.ts';

/** A longer patch is only read up to this length. */
const MAX_CHARS = 400_000;
/** In a script, the patch is in quotes: its lines end with an escape. */
const FILE_LINE =
  /\*\*\* (Add File|Update File|Delete File|Move to): ([^\n\\"'`]{1,400}?)[^\S\n]*(?=\n|\\n|\r|["'`]|$)/g;

/** Returns the files of a patch that begins with `*** Begin Patch`. */
export function filesOfPatch(text: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  for (const [, kind, path = ''] of text.slice(0, MAX_CHARS).matchAll(FILE_LINE)) {
    if (kind === 'Add File') files.push({ path, action: 'created' });
    else if (kind === 'Update File') files.push({ path, action: 'modified' });
    else if (kind === 'Delete File') files.push({ path, action: 'deleted' });
    else {
      const from = files.pop();
      files.push(...(from === undefined ? [] : movedFile(from.path, path)));
    }
  }
  return files;
}

function movedFile(from: string, to: string): ChangedFile[] {
  return [
    { path: from, action: 'moved' },
    { path: to, action: 'created', from },
  ];
}

const DIFF_FILES =
  /^--- (?:a\/)?([^\t\n]{1,400}?)(?:\t[^\n]*)?\n\+\+\+ (?:b\/)?([^\t\n]{1,400}?)(?:\t[^\n]*)?$/gm;
const NO_FILE = '/dev/null';

/** Returns the files of a unified diff. */
export function filesOfDiff(text: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  for (const [, from = '', to = ''] of text.slice(0, MAX_CHARS).matchAll(DIFF_FILES)) {
    if (to === NO_FILE) files.push({ path: from, action: 'deleted' });
    else if (from === NO_FILE) files.push({ path: to, action: 'created' });
    else if (from !== to) files.push(...movedFile(from, to));
    else files.push({ path: to, action: 'modified' });
  }
  return files;
}
