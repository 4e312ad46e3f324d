import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactNamesIn, NAME, placeNamedIn } from './exact-names.ts';

describe('exactNamesIn', () => {
  it('finds paths, identifiers, hashes and numbers, but no words of prose', () => {
    const text =
      'See src/app.ts, retryAfter, MAX_STEPS, user.name, 3f9ab12c and port 8443; nothing ordinary otherwise.';
    expect([...exactNamesIn(text)]).toEqual([
      'src/app.ts',
      'retryAfter',
      'MAX_STEPS',
      'user.name',
      '3f9ab12c',
    ]);
  });

  it('keeps the escape of a line before a name, and drops all other ones', () => {
    const input = JSON.stringify({ new: 'if (x) {\n\tthis.items.clear();\n}' });
    expect([...exactNamesIn(input)]).toEqual(['\\tthis.items.clear']);
    expect([...exactNamesIn('\\nNaming \\u003ctsFile\\u003e \\x04my_name \\nsrc/a.ts')]).toEqual([
      'tsFile',
      'my_name',
      '\\nsrc/a.ts',
    ]);
  });

  it('ignores a letter after an escaped backslash', () => {
    expect([...exactNamesIn(JSON.stringify('C:\\names_file'))]).toEqual(['names_file']);
  });

  it('uses a pattern whose quantifiers are all bounded: without bounds, a-a-a-… took quadratic time', () => {
    expect(NAME.source).toMatch(/\{\d+,\d+\}/);
    expect(NAME.source).not.toMatch(/[*+]|\{\d+,\}/);
  });

  it('takes a number of steps linear in the length of the text', async () => {
    for (const unit of ['a-', 'a.', 'a_', '0', 'Aa/', '\\nsome_name ']) {
      const tenth = await countSteps(() => exactNamesIn(unit.repeat(8_000)));
      expect(await countSteps(() => exactNamesIn(unit.repeat(80_000)))).toBeLessThanOrEqual(10.1 * tenth);
    }
  });

  it('finds only names that occur in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        for (const name of exactNamesIn(text)) expect(text).toContain(name);
      }),
    );
  });
});

describe('placeNamedIn', () => {
  it('returns the first file that a command names, else the first folder', () => {
    expect(placeNamedIn('cd src/lib && sed -n 1,20p src/lib/app.ts')).toBe('src/lib/app.ts');
    expect(placeNamedIn('ls -la packages/core/src')).toBe('packages/core/src');
    expect(placeNamedIn('npm test')).toBeUndefined();
  });

  it('keeps the slash before an absolute path', () => {
    expect(placeNamedIn('cat /w/app/src/app.ts')).toBe('/w/app/src/app.ts');
    expect(placeNamedIn('/w/app/src/app.ts')).toBe('/w/app/src/app.ts');
    expect(placeNamedIn('cat ./src/app.ts ../lib/x.ts')).toBe('src/app.ts');
    expect(placeNamedIn('cat ~/notes/today.md')).toBe('notes/today.md');
  });
});
