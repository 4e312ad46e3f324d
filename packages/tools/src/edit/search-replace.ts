import type { TextEdit } from './text-edit.ts';

const SEARCH = /^[<-]{5,9} ?SEARCH>?\s*$/;
const DIVIDER = /^={5,9}\s*$/;
const REPLACE = /^[>+]{5,9} ?REPLACE>?\s*$/;
/** Lines between the first marker and the text, in one dialect. */
const HINT = /^(?::(?:start|end)_line: ?\d+|-{7})\s*$/;

/** Parses blocks of the form SEARCH/REPLACE. Returns the edits, or what is wrong. */
export function parseSearchReplace(text: string): TextEdit[] | string {
  const edits: TextEdit[] = [];
  let old: string[] | undefined;
  let replacement: string[] | undefined;
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (SEARCH.test(line)) {
      if (old !== undefined) return 'a SEARCH block has no end.';
      old = [];
    } else if (old !== undefined && replacement === undefined) {
      if (DIVIDER.test(line)) replacement = [];
      else if (old.length > 0 || !HINT.test(line)) old.push(line);
    } else if (old !== undefined && replacement !== undefined) {
      if (!REPLACE.test(line)) replacement.push(line);
      else {
        edits.push({ old: withEnds(old), new: withEnds(replacement), all: false, wholeLines: true });
        old = undefined;
        replacement = undefined;
      }
    }
  }
  if (old !== undefined) return 'a SEARCH block has no end.';
  return edits.length > 0
    ? edits
    : 'it must consist of blocks: a line `------- SEARCH`, the old lines, `=======`, the new lines, `+++++++ REPLACE`.';
}

function withEnds(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
