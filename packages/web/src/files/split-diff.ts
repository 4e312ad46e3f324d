import { type FileDiff, readHunks } from '../conversation/tools/diff-model.ts';

/** The change of one file in a diff of several. */
export interface DiffOfFile extends FileDiff {
  path: string;
}

/**
 * Splits a diff as git writes it, at its lines `diff --git`. The path is the one after the change, or the former one of
 * a deleted file.
 */
export function splitDiff(diff: string): DiffOfFile[] {
  const starts = [...diff.matchAll(/^diff --git /gm)].map(({ index }) => index);
  return starts.map((start, index) => {
    const text = diff.slice(start, starts[index + 1] ?? diff.length);
    const hunks = text.search(/^@@ /m);
    const head = hunks === -1 ? text : text.slice(0, hunks);
    return {
      path: pathOf(head),
      label: undefined,
      lines: hunks === -1 ? remarks(head) : readHunks(text.slice(hunks)),
    };
  });
}

/** A change without hunks: a rename, a mode, or bytes. */
function remarks(head: string): FileDiff['lines'] {
  const lines = head.split('\n').slice(1);
  const shown = lines.filter((line) => /^(?:new|deleted|old|rename|similarity|Binary|GIT binary)/.test(line));
  return shown.map((text) => ({ kind: 'note', text }));
}

function pathOf(head: string): string {
  const named = /^\+\+\+ (?:b\/)?(.+)$/m.exec(head)?.[1] ?? '';
  const former = /^--- (?:a\/)?(.+)$/m.exec(head)?.[1] ?? '';
  const both = /^diff --git "?a\/(.*?)"? "?b\/\1"?$/m.exec(head)?.[1];
  const renamed = /^rename to (.+)$/m.exec(head)?.[1];
  const path = [named, former].find((name) => name !== '' && name !== '/dev/null');
  return unquoted(renamed ?? path ?? both ?? '');
}

/** Git puts names with special characters between quotes, with octal bytes. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name.replace(/\t$/, '');
  const inner = name.replace(/^"(?:[ab]\/)?|"$/g, '');
  const bytes: number[] = [];
  for (const [part] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (/^\\[0-7]{3}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8));
    else
      bytes.push(
        ...new TextEncoder().encode(part.startsWith('\\') ? (ESCAPES[part[1] ?? ''] ?? part[1]) : part),
      );
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };
