import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { cutInstructions, maxInstructionChars, readInstructionFiles } from './instruction-files.ts';
import { instructionWarnings } from './instruction-warnings.ts';

const files = (contents: Record<string, string>): Parameters<typeof readInstructionFiles>[0] => ({
  stat: async (path) => {
    const text = contents[path];
    return text === undefined ? undefined : { kind: 'file', size: Buffer.byteLength(text), modifiedAt: 0 };
  },
  read: async (path, range) => new TextEncoder().encode(contents[path] ?? '').slice(0, range?.length),
});

describe('readInstructionFiles', () => {
  it('reads existing files and skips missing ones', async () => {
    const found = await readInstructionFiles(files({ 'AGENTS.md': 'Use tabs.' }), ['AGENTS.md', 'CLAUDE.md']);
    expect(found).toEqual([{ path: 'AGENTS.md', text: 'Use tabs.', isCut: false }]);
  });

  it('cuts a file that is too long for the window, and tells the model to read the rest', async () => {
    const maxChars = maxInstructionChars(8_000);
    const [file] = await readInstructionFiles(files({ 'AGENTS.md': 'x'.repeat(50_000) }), ['AGENTS.md'], {
      maxChars,
    });
    expect(file).toMatchObject({ isCut: true });
    expect(file?.text.length).toBeLessThan(3_400);
    expect(file?.text).toContain('[cut here; read AGENTS.md for the rest]');
  });

  it('reads CLAUDE.md, else GEMINI.md, in place of a missing AGENTS.md', async () => {
    const paths = async (contents: Record<string, string>) =>
      (await readInstructionFiles(files(contents), ['AGENTS.md', 'CLAUDE.md'])).map(({ path }) => path);
    expect(await paths({ 'CLAUDE.md': 'c', 'GEMINI.md': 'g' })).toEqual(['CLAUDE.md']);
    expect(await paths({ 'GEMINI.md': 'g' })).toEqual(['GEMINI.md']);
    expect(await paths({ 'AGENTS.md': 'a', 'GEMINI.md': 'g' })).toEqual(['AGENTS.md']);
  });

  it('adds included files once, relative to the file that names them, and ends cycles', async () => {
    const found = await readInstructionFiles(
      files({
        'AGENTS.md': 'See @docs/style.md, `@no.md` and @docs/style.md. Mail me@x.md.\n```\n@no.md\n```',
        'docs/style.md': '@more.md @../AGENTS.md @missing.md',
        'docs/more.md': '@style.md',
        'no.md': 'no',
        'x.md': 'no',
      }),
      ['AGENTS.md'],
    );
    expect(found.map(({ path }) => path)).toEqual(['AGENTS.md', 'docs/style.md', 'docs/more.md']);
    expect(found.flatMap(({ leftOut = [] }) => leftOut)).toEqual([]);
  });

  it('includes no secrets, nothing outside, nothing too deep, and not more than 20 files', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`deep/${index}.md`, `@${index + 1}.md`]),
    );
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.md`, 'x']));
    const contents = {
      ...chain,
      ...many,
      'AGENTS.md': `@.env @../up.md @/etc/x.md @deep/0.md ${Object.keys(many)
        .map((name) => `@${name}`)
        .join(' ')}`,
      '.env': 'KEY=1',
    };
    const found = await readInstructionFiles(files(contents), ['AGENTS.md']);
    expect(found).toHaveLength(21);
    expect(found.map(({ path }) => path)).not.toContain('.env');
    const leftOut = found.flatMap((file) => file.leftOut ?? []);
    expect(leftOut).toContain('../up.md (outside of the workspace)');
    expect(leftOut).toContain('deep/5.md (too deep)');
    expect(leftOut).toContain('39.md (too many files)');
  });

  it('reads only the beginning of a file of 5 MB, and warns', async () => {
    const lengths: (number | undefined)[] = [];
    const source = files({ 'AGENTS.md': 'ä'.repeat(2_500_000) });
    const read: typeof source.read = (path, range) => {
      lengths.push(range?.length);
      return source.read(path, range);
    };
    const found = await readInstructionFiles({ ...source, read }, ['AGENTS.md']);
    expect(lengths).toEqual([24_000]);
    expect(instructionWarnings(found, 24_000)).toEqual([
      expect.stringContaining('AGENTS.md: only the first 24000'),
    ]);
  });

  it('replaces invalid UTF-8 and warns, but does not count a cut inside a character as damage', async () => {
    const bytes = (data: Uint8Array) => ({
      stat: async () => ({ kind: 'file' as const, size: data.length, modifiedAt: 0 }),
      read: async (_: string, range?: { length: number }) => data.slice(0, range?.length),
    });
    const [broken] = await readInstructionFiles(bytes(Uint8Array.of(65, 0xff, 66)), ['A.md']);
    expect(broken).toMatchObject({ text: 'A\ufffdB', isDamaged: true });
    expect(instructionWarnings(broken === undefined ? [] : [broken], 100)).toEqual([
      expect.stringContaining('A.md: not valid UTF-8'),
    ]);
    const [cut] = await readInstructionFiles(bytes(Buffer.from('äää')), ['A.md'], { maxChars: 3 });
    expect(cut).toMatchObject({ text: 'ä\n[cut here; read A.md for the rest]' });
    expect(cut).not.toHaveProperty('isDamaged');
  });

  it('cuts files at the end if all together are too long', () => {
    const long = (path: string) => ({ path, text: 'x'.repeat(100), isCut: false });
    const shown = cutInstructions([long('a.md'), long('b.md'), long('c.md')], 100);
    expect(shown.map(({ isCut }) => isCut)).toEqual([false, false, true]);
  });

  it('limits a file to 24,000 characters in a large window', () => {
    expect(maxInstructionChars(1_000_000)).toBe(24_000);
  });

  it('throws for a file outside the workspace', async () => {
    const forbidden = {
      ...files({ 'x.md': 'x' }),
      read: () => Promise.reject(new LonghaulError('path_outside_workspace', 'outside')),
    };
    await expect(readInstructionFiles(forbidden, ['x.md'])).rejects.toMatchObject({
      code: 'path_outside_workspace',
    });
  });
});
