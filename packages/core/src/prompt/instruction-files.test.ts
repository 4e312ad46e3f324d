import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { maxInstructionChars, readInstructionFiles } from './instruction-files.ts';

const files = (contents: Record<string, string>): Parameters<typeof readInstructionFiles>[0] => ({
  stat: async (path) => {
    const text = contents[path];
    return text === undefined ? undefined : { kind: 'file', size: text.length, modifiedAt: 0 };
  },
  read: async (path, range) => new TextEncoder().encode((contents[path] ?? '').slice(0, range?.length)),
});

describe('readInstructionFiles', () => {
  it('reads existing files and skips missing ones', async () => {
    const found = await readInstructionFiles(files({ 'AGENTS.md': 'Use tabs.' }), ['AGENTS.md', 'CLAUDE.md']);
    expect(found).toEqual([{ path: 'AGENTS.md', text: 'Use tabs.', isCut: false }]);
  });

  it('cuts a file that is too long for the window, and tells the model to read the rest', async () => {
    const maxChars = maxInstructionChars(8_000);
    const [file] = await readInstructionFiles(
      files({ 'AGENTS.md': 'x'.repeat(50_000) }),
      ['AGENTS.md'],
      maxChars,
    );
    expect(file).toMatchObject({ isCut: true });
    expect(file?.text.length).toBeLessThan(3_400);
    expect(file?.text).toContain('[cut here; read AGENTS.md for the rest]');
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
