import type { JsonObject, JsonValue } from '@longhaul/protocol';

/** A line of a changed file. */
export interface ChangeLine {
  /** `…` separates two places of the file. */
  sign: ' ' | '-' | '+' | '…';
  /** Its number in the file: in the old one for `-`, else in the new one. Undefined if it is not known. */
  number?: number;
  text: string;
}

export interface FileCall {
  toolName: string;
  args: JsonValue;
  metadata?: JsonObject;
}

/** The lines that a call of `edit` or `write` changed; empty for other calls, and if the change was not recorded. */
export function changeLines({ toolName, args, metadata = {} }: FileCall): ChangeLine[] {
  const { patch, created } = metadata;
  if (typeof patch === 'string') return patchLines(patch, metadata['patchCut'] === true);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  if (toolName === 'write' && created !== false) return numbered('+', args['content']);
  // Sessions of an older version have no patch.
  if (toolName === 'edit') return editLines(args);
  return [];
}

/** The lines of one edit, or of several. */
function editLines(args: JsonObject): ChangeLine[] {
  const edits = Array.isArray(args['edits']) ? args['edits'] : [args];
  return edits.flatMap((edit) =>
    typeof edit !== 'object' || edit === null || Array.isArray(edit)
      ? []
      : [...unnumbered('-', edit['old']), ...unnumbered('+', edit['new'])],
  );
}

function patchLines(patch: string, isCut: boolean): ChangeLine[] {
  const lines: ChangeLine[] = [];
  let [before, after] = [0, 0];
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      if (lines.length > 0) lines.push({ sign: '…', text: '' });
      before = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0);
      after = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0);
    } else if (line.startsWith('-')) lines.push({ sign: '-', number: before++, text: line.slice(1) });
    else if (line.startsWith('+')) lines.push({ sign: '+', number: after++, text: line.slice(1) });
    else if (line.startsWith(' ')) {
      lines.push({ sign: ' ', number: after++, text: line.slice(1) });
      before += 1;
    }
  }
  return isCut ? [...lines, { sign: '…', text: 'The rest of this change was too long to record.' }] : lines;
}

function numbered(sign: '+', content: JsonValue | undefined): ChangeLine[] {
  return unnumbered(sign, content).map((line, index) => ({ ...line, number: index + 1 }));
}

function unnumbered(sign: '+' | '-', content: JsonValue | undefined): ChangeLine[] {
  if (typeof content !== 'string' || content === '') return [];
  const lines = content.replace(/\n$/, '').split('\n');
  return lines.map((text) => ({ sign, text }));
}
