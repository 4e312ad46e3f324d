import type { FileChange } from '@longhaul/protocol';
import type { ChangedFiles, FileTrees } from '../../ports/file-trees.ts';
import { plural } from '../../tool-output/display.ts';

/** Changes of files as a text for a model. */
export interface CopyChanges extends ChangedFiles {
  /** How many files and lines, a line for each file, and the patch. */
  text: string;
}

/**
 * Describes what differs between two trees. A patch that does not fit ends after a whole file, and the text says so.
 * Binary files have no patch.
 */
export async function describeChanges(
  trees: FileTrees,
  { before, after }: { before: string; after: string },
  { maxChars }: { maxChars: number },
): Promise<CopyChanges> {
  if (before === after) return { files: [], text: 'No file has changed.' };
  const changes = await trees.changes(before, after);
  const head = listText(changes, maxChars / 2);
  const patch = await patchText(trees.diff(before, after, { binary: 'note' }), maxChars - head.length);
  return { ...changes, text: `${head}\n${patch}` };
}

function listText({ files, more = 0 }: ChangedFiles, maxChars: number): string {
  const sum = (count: (file: FileChange) => number | undefined) =>
    files.reduce((total, file) => total + (count(file) ?? 0), 0);
  const total = files.length + more;
  const counts = `${plural(
    sum((file) => file.added),
    'line',
  )} added, ${sum((file) => file.removed)} removed`;
  let text = `${plural(total, 'file')} changed, ${counts}.\n`;
  for (const [index, file] of files.entries()) {
    const line = `${lineOf(file)}\n`;
    if (text.length + line.length > maxChars) return `${text}and ${total - index} more\n`;
    text += line;
  }
  return more === 0 ? text : `${text}and ${more} more\n`;
}

function lineOf({ path, from, change, mode, added, removed, restorable }: FileChange): string {
  const name = from === undefined ? path : `${from} to ${path}`;
  const lines =
    added === undefined
      ? restorable
        ? ', not text'
        : ', content not recorded'
      : ` +${added} -${removed ?? 0}`;
  return `${change} ${name}${lines}${mode === undefined ? '' : `, mode ${mode}`}`;
}

async function patchText(pieces: AsyncIterable<string>, maxChars: number): Promise<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > maxChars)
      return `${wholeFiles(text.slice(0, maxChars))}[The rest of the patch does not fit here.]\n`;
  }
  return text;
}

/** Returns the text up to the last file that begins in it. Of a single file, up to the last line. */
function wholeFiles(text: string): string {
  const end = text.lastIndexOf('\ndiff --git ');
  return text.slice(0, (end < 0 ? text.lastIndexOf('\n') : end) + 1);
}
