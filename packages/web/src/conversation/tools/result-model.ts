/** What a search or a list has found, read from the text that the model gets. */

export interface FoundGroup {
  /** The file whose lines follow. Undefined: each line is a result of its own. */
  file: string | undefined;
  lines: readonly FoundLine[];
}

export interface FoundLine {
  number?: number;
  text: string;
  /** A line beside a match. */
  isContext?: boolean;
}

export interface Found {
  groups: readonly FoundGroup[];
  /** Remarks at the end, such as `[only 100 are shown]`. */
  remarks: readonly string[];
}

/**
 * Reads `path`, then its lines as `12:match` or `13-context`, and an empty line between files. Other lines are results.
 */
export function readFound(text: string): Found {
  const groups: { file: string | undefined; lines: FoundLine[] }[] = [];
  const remarks: string[] = [];
  const rows = text.split('\n');
  rows.forEach((row, index) => {
    if (row.trim() === '') return;
    if (/^[[(].*[\])]$/.test(row)) {
      remarks.push(row.slice(1, -1));
      return;
    }
    const [, number, mark, rest = ''] = /^(\d+)([:-])(.*)$/.exec(row) ?? [];
    const last = groups.at(-1);
    if (number !== undefined && last?.file !== undefined)
      last.lines.push({ number: Number(number), text: rest, ...(mark === '-' && { isContext: true }) });
    else if (row === '--' && last?.file !== undefined) last.lines.push({ text: '⋯', isContext: true });
    else if (/^\d+[:-]/.test(rows[index + 1] ?? '')) groups.push({ file: row, lines: [] });
    else if (last !== undefined && last.file === undefined) last.lines.push({ text: row });
    else groups.push({ file: undefined, lines: [{ text: row }] });
  });
  return { groups, remarks };
}
