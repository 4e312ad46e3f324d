import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countChanges, diffOfNewText, diffOfTexts, readFilePatches, readHunks } from './diff-model.ts';

describe('readHunks', () => {
  it('numbers the lines of several hunks, and shows gaps and remarks', () => {
    const patch =
      '@@ -1,2 +1,3 @@\n a\n+b\n c\n@@ -10,2 +11,1 @@ function f()\n-x\n y\n\\ No newline at end of file';
    expect(readHunks(patch)).toEqual([
      { kind: 'same', text: 'a', before: 1, after: 1 },
      { kind: 'added', text: 'b', after: 2 },
      { kind: 'same', text: 'c', before: 2, after: 3 },
      { kind: 'gap', text: 'function f()' },
      { kind: 'removed', text: 'x', before: 10 },
      { kind: 'same', text: 'y', before: 11, after: 11 },
      { kind: 'note', text: 'No newline at end of file' },
    ]);
  });

  it('numbers the lines of a text that was or becomes empty', () => {
    expect(readHunks('@@ -0,0 +1,1 @@\n+a')).toEqual([{ kind: 'added', text: 'a', after: 1 }]);
    expect(readHunks('@@ -1,1 +0,0 @@\n-a')).toEqual([{ kind: 'removed', text: 'a', before: 1 }]);
  });

  it('gives both texts again for any change', () => {
    const text = fc.constantFrom('a', 'b', '', '@@ -1 +1 @@', '+x', '-y', '\\');
    const line = fc.record({ sign: fc.constantFrom(' ', '+', '-'), text });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (changed) => {
        const without = (sign: string) => changed.flatMap((each) => (each.sign === sign ? [] : each.text));
        const [before, after] = [without('+'), without('-')];
        const head = `@@ -${before.length === 0 ? 0 : 1},${before.length} +${after.length === 0 ? 0 : 1},${after.length} @@`;
        const read = readHunks([head, ...changed.map(({ sign, text }) => sign + text)].join('\n'));
        const side = (other: string) => read.flatMap(({ kind, text }) => (kind === other ? [] : text));
        expect(side('added')).toEqual(before);
        expect(side('removed')).toEqual(after);
        expect(read.flatMap((each) => each.before ?? [])).toEqual(before.map((_, index) => index + 1));
        expect(read.flatMap((each) => each.after ?? [])).toEqual(after.map((_, index) => index + 1));
      }),
    );
  });

  it.each(['', '@@', '<b>x</b>', '@@ -a +b @@\nx', '\u0000\n\ufffd'])('loses no text of %j', (patch) => {
    expect(
      readHunks(patch)
        .map(({ text }) => text)
        .join('\n'),
    ).toBe(patch);
  });
});

describe('diffs of arguments', () => {
  it('shows a replacement with the lines that both texts share once', () => {
    expect(diffOfTexts('a\nb\nc', 'a\nx\ny\nc')).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      { kind: 'added', text: 'y' },
      { kind: 'same', text: 'c' },
    ]);
    expect(diffOfTexts('', '')).toEqual([]);
  });

  it('gives both texts again for any replacement', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ''), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, (old, changed) => {
        const diff = diffOfTexts(lines(old), lines(changed));
        const side = (other: string) => diff.flatMap(({ kind, text }) => (kind === other ? [] : text));
        expect(side('added')).toEqual(old);
        expect(side('removed')).toEqual(changed);
      }),
    );
  });

  it('numbers the lines of a new file', () => {
    const diff = diffOfNewText('one\ntwo\n');
    expect(diff.map(({ after }) => after)).toEqual([1, 2]);
    expect(countChanges(diff)).toEqual({ added: 2, removed: 0 });
  });

  it('reads the files of a patch', () => {
    const files = readFilePatches(
      '*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: b.ts\n*** Move to: c.ts\n@@ class A\n x\n-y\n+z\n*** Delete File: d\n*** End Patch',
    );
    expect(files.map(({ label }) => label)).toEqual(['a.txt (new)', 'b.ts', 'd (deleted)']);
    expect(files[1]?.lines).toEqual([
      { kind: 'note', text: 'Move to: c.ts' },
      { kind: 'gap', text: 'class A' },
      { kind: 'same', text: 'x' },
      { kind: 'removed', text: 'y' },
      { kind: 'added', text: 'z' },
    ]);
  });
});

/** Each line ends with a line feed. */
function lines(each: readonly string[]): string {
  return each.map((line) => `${line}\n`).join('');
}
