/** One file of a patch. Paths are as the patch names them. */
export type FileChange =
  | { kind: 'add'; path: string; text: string }
  | { kind: 'delete'; path: string }
  | { kind: 'update'; path: string; moveTo?: string; hunks: Hunk[] };

export interface Hunk {
  /** Lines that precede the hunk in the file, outermost first, such as those of a class and of its method. */
  headings: string[];
  lines: { sign: ' ' | '-' | '+'; text: string }[];
  /** The hunk is at the end of the file. */
  endsFile: boolean;
}

const BEGIN = /^\s*\*\*\* Begin Patch\s*$/;
const END = /^\s*\*\*\* End Patch\s*$/;
const FILE = /^\s*\*\*\* (Add|Update|Delete) File: ?(.+?)\s*$/;
const MOVE = /^\s*\*\*\* Move to: ?(.+?)\s*$/;
const END_OF_FILE = /^\s*\*\*\* End of File\s*$/;
const HEADING = /^@@ ?(.*?)(?: @@)?\s*$/;
/** The heading of a unified diff. Its text is whatever function precedes the hunk, also one that ends before it. */
const NUMBERED_HEADING = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@|\s*$)/;
/** Lines of a unified diff that say nothing about the change. */
const DIFF_NOISE = /^(?:--- |\+\+\+ |diff --git |index [0-9a-f]+\.\.|\\ No newline)/;

const FORM =
  'Write `*** Begin Patch`, then for each file `*** Add File: PATH`, `*** Update File: PATH` or `*** Delete File: PATH` and its lines, then `*** End Patch`.';

/** Parses a patch in the form that Codex models write. Returns the changes, or what is wrong. */
export function parsePatch(text: string): FileChange[] | string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const begin = lines.findIndex((line) => BEGIN.test(line));
  const end = lines.findLastIndex((line) => END.test(line));
  const start = begin === -1 ? lines.findIndex((line) => FILE.test(line)) : begin + 1;
  if (start === -1) return `This is not a patch. ${FORM}`;
  if (end < start) return 'The patch has no `*** End Patch`: it may have been cut off.';
  const reader = new PatchReader();
  for (const [offset, line] of lines.slice(start, end).entries()) {
    const problem = reader.add(line);
    if (problem !== undefined)
      return `Line ${start + offset + 1} of the patch, \`${line.slice(0, 80)}\`: ${problem}`;
  }
  return reader.end();
}

class PatchReader {
  readonly #changes: FileChange[] = [];
  #added: string[] = [];

  /** Returns what is wrong with the line. */
  add(line: string): string | undefined {
    const [, kind, path = ''] = FILE.exec(line) ?? [];
    if (kind !== undefined) return this.#startFile(kind, path);
    const current = this.#changes.at(-1);
    if (current?.kind === 'add') return this.#addLine(line);
    if (current?.kind === 'update') return addToUpdate(current, line);
    if (line.trim() === '') return undefined;
    return current === undefined ? `a file must come first. ${FORM}` : 'a deleted file has no lines.';
  }

  end(): FileChange[] | string {
    this.#endAdded();
    if (this.#changes.length === 0) return `The patch is empty. ${FORM}`;
    for (const change of this.#changes) {
      if (change.kind !== 'update') continue;
      change.hunks = change.hunks.filter(({ lines }) => lines.length > 0);
      if (change.hunks.length === 0 && change.moveTo === undefined)
        return `${change.path}: the update has no lines.`;
    }
    return this.#changes;
  }

  #startFile(kind: string, path: string): undefined {
    this.#endAdded();
    if (kind === 'Add') this.#changes.push({ kind: 'add', path, text: '' });
    else if (kind === 'Delete') this.#changes.push({ kind: 'delete', path });
    else this.#changes.push({ kind: 'update', path, hunks: [] });
  }

  #addLine(line: string): string | undefined {
    if (line.startsWith('+')) this.#added.push(line.slice(1));
    else if (line.trim() !== '' && !END_OF_FILE.test(line))
      return 'each line of a new file must begin with +.';
    return undefined;
  }

  #endAdded(): void {
    const last = this.#changes.at(-1);
    if (last?.kind === 'add') last.text = this.#added.map((line) => `${line}\n`).join('');
    this.#added = [];
  }
}

function addToUpdate(change: Extract<FileChange, { kind: 'update' }>, line: string): string | undefined {
  const [, moveTo] = MOVE.exec(line) ?? [];
  if (moveTo !== undefined && change.hunks.length === 0) {
    change.moveTo = moveTo;
    return undefined;
  }
  let hunk = change.hunks.at(-1);
  if (END_OF_FILE.test(line)) {
    if (hunk !== undefined) hunk.endsFile = true;
    return undefined;
  }
  if (line.startsWith('@@')) {
    if (hunk === undefined || hunk.lines.length > 0) hunk = addHunk(change.hunks);
    const heading = NUMBERED_HEADING.test(line) ? '' : (HEADING.exec(line)?.[1]?.trim() ?? '');
    // One without a word, such as `...`, names no line.
    if (/[\p{L}\p{N}]/u.test(heading)) hunk.headings.push(heading);
    return undefined;
  }
  if (hunk === undefined && (DIFF_NOISE.test(line) || line.trim() === '')) return undefined;
  if (/^\\ No newline/.test(line)) return undefined;
  if (hunk === undefined || hunk.endsFile) hunk = addHunk(change.hunks);
  const sign = line.charAt(0);
  if (sign === '') hunk.lines.push({ sign: ' ', text: '' });
  else if (sign === ' ' || sign === '-' || sign === '+') hunk.lines.push({ sign, text: line.slice(1) });
  else return 'each line must begin with a space, + or -.';
  return undefined;
}

function addHunk(hunks: Hunk[]): Hunk {
  const hunk: Hunk = { headings: [], lines: [], endsFile: false };
  hunks.push(hunk);
  return hunk;
}
