import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyHunks } from '../src/patch/apply-hunks.ts';
import type { Hunk } from '../src/patch/parse-patch.ts';

/** A file of classes and methods whose lines repeat, because that is where a place is easily mistaken. */
const body = fc.array(fc.constantFrom('return x', 'x = 1', 'x = 2', 'log(x)', '', 'pass'), {
  minLength: 1,
  maxLength: 4,
});
const method = fc.tuple(fc.constantFrom('f', 'g'), body);
const fileOf = fc
  .array(fc.tuple(fc.constantFrom('A', 'B', 'AB'), fc.array(method, { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((classes) =>
    classes.flatMap(([name, methods]) => [
      `class ${name}:`,
      ...methods.flatMap(([own, lines]) => [
        `    def ${own}(self):`,
        ...lines.map((line) => (line === '' ? '' : `        ${line}`)),
      ]),
      '',
    ]),
  );

interface Wanted {
  at: number;
  before: number;
  removed: number;
  after: number;
  added: string[];
  headings: 'none' | 'method' | 'both';
  /** Blanks that the file does not have are added to the end of each line. */
  drifts: boolean;
}

const wanted: fc.Arbitrary<Wanted> = fc.record({
  at: fc.nat(40),
  before: fc.nat(3),
  removed: fc.nat(2),
  after: fc.nat(2),
  added: fc.array(fc.constantFrom('        new()', '        x = 1', '        return x'), { maxLength: 2 }),
  headings: fc.constantFrom('none' as const, 'method' as const, 'both' as const),
  drifts: fc.boolean(),
});

/** The hunks that a model would write, in order, and the file that they mean. */
function planned(lines: readonly string[], wishes: readonly Wanted[]): { hunks: Hunk[]; result: string[] } {
  const hunks: Hunk[] = [];
  const result = [...lines];
  let [from, shift] = [0, 0];
  for (const wish of wishes.toSorted((left, right) => left.at - right.at)) {
    const at = Math.max(from, wish.at % lines.length);
    const start = Math.max(from, at - wish.before);
    const removedTo = Math.min(lines.length, at + wish.removed);
    const end = Math.min(lines.length, removedTo + wish.after);
    if (at >= lines.length || end === start || (removedTo === at && wish.added.length === 0)) continue;
    const as = (sign: ' ' | '-' | '+', part: readonly string[]) =>
      part.map((text) => ({ sign, text: wish.drifts && sign !== '+' ? `${text}   ` : text }));
    hunks.push({
      headings: headingsOf(lines, start, wish.headings),
      lines: [
        ...as(' ', lines.slice(start, at)),
        ...as('-', lines.slice(at, removedTo)),
        ...as('+', wish.added),
        ...as(' ', lines.slice(removedTo, end)),
      ],
      endsFile: false,
    });
    result.splice(at + shift, removedTo - at, ...wish.added);
    shift += wish.added.length - (removedTo - at);
    from = end;
  }
  return { hunks, result };
}

function headingsOf(lines: readonly string[], start: number, kind: Wanted['headings']): string[] {
  if (kind === 'none') return [];
  const above = lines.slice(0, start);
  const found = [
    above.findLast((line) => line.startsWith('class')),
    above.findLast((line) => / def /.test(line)),
  ];
  const [owner, own] = found.map((line) => line?.trim());
  // A line below the last method's block, or a class without a method above the lines, has no method.
  const isInside =
    above.findLastIndex((line) => / def /.test(line)) > above.findLastIndex((line) => /^class/.test(line));
  const isBetween = /^class/.test(lines[start] ?? '') || / def /.test(lines[start] ?? '');
  if (!isInside || isBetween) return [];
  return kind === 'method' ? [own ?? ''] : [owner ?? '', own ?? ''];
}

/** A file whose lines are all removed is empty. */
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const normal = (text: string) => text.replaceAll(/[ \t]+$/gm, '');

it('puts every hunk in its place, or refuses the patch', async () => {
  let [applied, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fileOf, fc.array(wanted, { minLength: 1, maxLength: 4 }), async (lines, wishes) => {
      const { hunks, result } = planned(lines, wishes);
      fc.pre(hunks.length > 0);
      const done = await applyHunks(textOf(lines), hunks);
      if ('refusal' in done) {
        refused += 1;
        expect(done.refusal).toMatch(/hunk \d+/);
      } else {
        applied += 1;
        expect(normal(done.text)).toBe(normal(textOf(result)));
      }
    }),
    { numRuns: 3_000 },
  );
  expect(applied).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(100);
});

it('never changes a copy of the lines in another block than the one that the heading names', async () => {
  await fc.assert(
    fc.asyncProperty(fileOf, fc.nat(), async (lines, pick) => {
      const owners = lines.flatMap((line, index) => (line.startsWith('class ') ? [index] : []));
      const owner = owners[pick % owners.length] ?? 0;
      const heading = lines[owner] ?? '';
      const copies = lines.filter((line) => line === heading).length;
      fc.pre(copies === 1);
      const end = owners.find((index) => index > owner) ?? lines.length;
      const hunk: Hunk = {
        headings: [heading],
        lines: [
          { sign: '-', text: '        return x' },
          { sign: '+', text: '        return y' },
        ],
        endsFile: false,
      };
      const done = await applyHunks(textOf(lines), [hunk]);
      if ('refusal' in done) return;
      const changed = done.text.split('\n').findIndex((line, index) => line !== lines[index]);
      expect(changed).toBeGreaterThan(owner);
      expect(changed).toBeLessThan(end);
    }),
    { numRuns: 1_000 },
  );
});
