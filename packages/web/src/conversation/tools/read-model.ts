/** A page of a file, read from the text that the model gets: `12<tab>text` for each line, then remarks in brackets. */
export interface FilePage {
  firstLine: number;
  text: string;
  lineCount: number;
  remarks: readonly string[];
}

/** Undefined for a text of another form. Also reads the form `   12→text`. */
export function readFilePage(output: string): FilePage | undefined {
  const rows = output.split('\n');
  const remarks: string[] = [];
  while (rows.length > 0 && /^(?:\[.*\])?$/.test(rows.at(-1) ?? '')) {
    const remark = rows.pop() ?? '';
    if (remark !== '') remarks.unshift(remark.slice(1, -1));
  }
  const lines: string[] = [];
  let firstLine: number | undefined;
  for (const row of rows) {
    const [, number, text] = /^\s*(\d+)(?:\t|→)(.*)$/.exec(row) ?? [];
    if (number === undefined || text === undefined) return undefined;
    firstLine ??= Number(number);
    if (Number(number) !== firstLine + lines.length) return undefined;
    lines.push(text);
  }
  if (firstLine === undefined) return undefined;
  return { firstLine, text: lines.join('\n'), lineCount: lines.length, remarks };
}
