/** A search/replace block of an answer. */
export interface EditBlock {
  path: string;
  search: string;
  replace: string;
}

const SEARCH = /^<{5,9} SEARCH/;
const DIVIDER = /^={5,9}\s*$/;
const REPLACE = /^>{5,9} REPLACE/;
const FENCE = /^(?:```|~~~)/;

/**
 * Splits an answer into its texts and its edit blocks, in order. The path of a block is on the line before it, outside
 * or inside its fence; a further block in the same fence has the same path. A block that does not end stays text.
 */
export function splitEdits(lines: readonly string[]): (string | EditBlock)[] {
  const pieces: (string | EditBlock)[] = [];
  let text: string[] = [];
  let path = '';
  for (let index = 0; index < lines.length; index += 1) {
    const block = SEARCH.test(lines[index] ?? '') ? blockAt(lines, index) : undefined;
    if (block === undefined) {
      text.push(lines[index] ?? '');
      continue;
    }
    const found = takePath(text);
    path = found.path || path;
    addText(pieces, found.before);
    pieces.push({ path, search: block.search, replace: block.replace });
    index = block.end;
    if (FENCE.test(lines[index + 1] ?? '')) index += 1;
    text = [];
  }
  addText(pieces, text);
  return pieces;
}

function addText(pieces: (string | EditBlock)[], lines: readonly string[]): void {
  const text = lines.join('\n').trim();
  if (text !== '') pieces.push(text);
}

function blockAt(lines: readonly string[], start: number) {
  const divider = find(lines, start + 1, DIVIDER);
  const end = divider === -1 ? -1 : find(lines, divider + 1, REPLACE);
  if (end === -1) return undefined;
  return {
    search: lines.slice(start + 1, divider).join('\n'),
    replace: lines.slice(divider + 1, end).join('\n'),
    end,
  };
}

function find(lines: readonly string[], from: number, pattern: RegExp): number {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (pattern.test(line)) return index;
    if (SEARCH.test(line)) return -1;
  }
  return -1;
}

/** Takes the path and the fence from the end of the text before a block. */
function takePath(text: readonly string[]): { path: string; before: string[] } {
  const before = [...text];
  let path = '';
  for (let last = before.at(-1); last !== undefined; last = before.at(-1)) {
    const line = last.trim();
    const isPath = path === '' && line !== '' && !FENCE.test(line) && !/\s/.test(line);
    if (isPath) path = line.replace(/^[*`#]+|[*`:]+$/g, '');
    else if (line !== '' && !FENCE.test(line)) break;
    else if (path !== '' && line === '') break;
    before.pop();
  }
  return { path, before };
}
