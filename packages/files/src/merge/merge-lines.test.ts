import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeContents } from './merge-contents.ts';
import { mergeLines } from './merge-lines.ts';

const LABELS = { ours: 'here', theirs: 'there' };

function merge(base: string, ours: string, theirs: string) {
  const bytes = (text: string) => Buffer.from(text);
  return mergeContents({ base: bytes(base), ours: bytes(ours), theirs: bytes(theirs) }, LABELS);
}

describe('mergeLines', () => {
  it('takes changes of both sides', () => {
    expect(merge('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n')).toEqual({
      text: 'A\nb\nc\nD\n',
      conflicts: [],
    });
  });

  it('takes a change that both made once', () => {
    expect(merge('a\nb\n', 'a\nB\n', 'a\nB\n')).toEqual({ text: 'a\nB\n', conflicts: [] });
  });

  it('marks lines that both changed, without those that are equal', () => {
    expect(merge('a\nb\nc\n', 'a\nx\n1\ny\nc\n', 'a\nx\n2\ny\nc\n')).toEqual({
      text: 'a\nx\n<<<<<<< here\n1\n=======\n2\n>>>>>>> there\ny\nc\n',
      conflicts: [{ start: 3, count: 1 }],
    });
  });

  it('names the place of lines that were deleted here', () => {
    expect(merge('a\nb\nc\n', 'a\nc\n', 'a\nB\nc\n')?.conflicts).toEqual([{ start: 2, count: 0 }]);
  });

  it('writes markers in lines of their own if the last lines have no line feed', () => {
    expect(merge('a', 'b', 'c')?.text).toBe('<<<<<<< here\nb\n=======\nc\n>>>>>>> there\n');
  });

  it('ends markers as the lines of the file end', () => {
    expect(merge('a\r\n', 'b\r\n', 'c\r\n')?.text).toBe(
      '<<<<<<< here\r\nb\r\n=======\r\nc\r\n>>>>>>> there\r\n',
    );
  });

  it('merges no binary content', () => {
    expect(merge('a\n', 'a\0\n', 'b\n')).toBeUndefined();
    const latin1 = Buffer.from([0xe9]);
    expect(
      mergeContents({ base: undefined, ours: latin1, theirs: Buffer.from('x') }, LABELS),
    ).toBeUndefined();
  });

  it('gives up if too many lines lie between the changes', () => {
    const lines = (first: string, last: string) => [
      first,
      ...Array.from({ length: 40_000 }, (_, i) => `${i}\n`),
      last,
    ];
    const texts = { base: lines('a\n', 'a\n'), ours: lines('b\n', 'a\n'), theirs: lines('a\n', 'b\n') };
    expect(mergeLines(texts, LABELS)).toBeUndefined();
    const near = { ...texts, theirs: ['a\n', '0\n', 'new\n', ...lines('', 'a\n').slice(2)] };
    expect(mergeLines(near, LABELS)?.conflicts).toEqual([]);
  });
});

it('merges what git merge-file merges, and in the same way', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-merge-'));
  try {
    fc.assert(
      fc.property(text, changes, changes, (base, own, other) => {
        const [ours, theirs] = [changed(base, own, 'o'), changed(base, other, 't')];
        const merged = merge(textOf(base), textOf(ours), textOf(theirs));
        const expected = gitMerge(folder, [ours, base, theirs].map(textOf));
        expect(merged?.conflicts.length === 0).toBe(expected !== undefined);
        if (expected !== undefined) expect(merged?.text).toBe(expected);
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Lines that differ from one another, so that only one comparison is the shortest. */
const text = fc
  .integer({ min: 0, max: 12 })
  .map((count) => Array.from({ length: count }, (_, index) => `line ${index}`));

type Change = { at: number; remove: number; add: number; isShared: boolean };

const changes = fc.array(
  fc.record({ at: fc.nat(12), remove: fc.nat(2), add: fc.nat(2), isShared: fc.boolean() }),
  { maxLength: 3 },
);

/** Both sides add the same lines if a change is shared. */
function changed(base: readonly string[], made: readonly Change[], side: string): string[] {
  const lines = [...base];
  for (const { at, remove, add, isShared } of [...made].sort((a, b) => b.at - a.at))
    lines.splice(
      at,
      remove,
      ...Array.from({ length: add }, (_, index) => `${isShared ? '' : side} new ${at} ${index}`),
    );
  return lines;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns undefined for a conflict. */
function gitMerge(folder: string, texts: readonly string[]): string | undefined {
  const files = texts.map((content, index) => {
    writeFileSync(join(folder, `${index}`), content);
    return join(folder, `${index}`);
  });
  try {
    return execFileSync('git', ['merge-file', '-p', '-q', ...files], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    if (error instanceof Error && 'status' in error && Number(error.status) > 0) return undefined;
    throw error;
  }
}
