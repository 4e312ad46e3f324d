import { describe, expect, it } from 'vitest';
import { ExportReader } from './exported.ts';
import { renderReference } from './render.ts';

const FILES: Record<string, string> = {
  '/p/index.ts': `
    export { type Options, run as start } from './run.ts';
    export { isName } from './names.ts';
    export { LIMIT } from './run.ts';`,
  '/p/names.ts': "export { isName } from '@other/package';",
  '/p/run.ts': `
/** Not of the next statement. */
const inner = 1;
export interface Options { at: number }
/**
 * Runs it.
 *
 * @param at Where it runs.
 * @throws {TypeError} If it cannot.
 * @example
 * run(1);
 */
export function run(at: number): void;
export function run(at: string): void;
/* No docstring. */
export const LIMIT = inner;`,
  '/p/all.ts': "export type * from './run.ts'; export * from '@other/package';",
  '/p/index.d.ts': "export { a } from './a.ts';",
  '/p/a.d.ts': '/** The one. */\nexport declare const a = 1;',
};

const reader = new ExportReader((file) => FILES[file] ?? '');

describe('the reference', () => {
  const exported = reader.of('/p/index.ts');

  it('follows exports to their declarations, under their new names, but not to other packages', () => {
    expect(exported.map(({ name, file }) => [name, file])).toEqual([
      ['Options', '/p/run.ts'],
      ['start', '/p/run.ts'],
      ['LIMIT', '/p/run.ts'],
    ]);
  });

  it('follows exports of everything in another file', () => {
    expect(reader.of('/p/all.ts').map(({ name }) => name)).toEqual(['Options', 'run', 'LIMIT']);
  });

  it('reads only the docstring that directly precedes a declaration', () => {
    expect(exported.map(({ doc }) => doc?.split('\n')[0])).toEqual([undefined, 'Runs it.', undefined]);
  });

  it('reads emitted declarations', () => {
    expect(reader.of('/p/index.d.ts')).toMatchObject([{ name: 'a', doc: 'The one.' }]);
  });

  it('renders tags and declarations as Markdown, sorted by name', () => {
    expect(renderReference('@x/y', reader.of('/p/index.d.ts'))).toBe(
      '# @x/y\n\n## a\n\nThe one.\n\n```ts\nconst a = 1;\n```\n',
    );
    const page = renderReference('@x/y', exported);
    expect(page).toContain('Runs it.\n\n- `at`: Where it runs.\n\nThrows `TypeError`: If it cannot.');
    expect(page).toContain('```ts\nrun(1);\n```');
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, name]) => name)).toEqual(['LIMIT', 'Options', 'start']);
  });
});
