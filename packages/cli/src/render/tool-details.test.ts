import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { createPaint } from './paint.ts';
import { toolDetails } from './tool-details.ts';

interface Shown {
  args?: JsonValue;
  metadata?: JsonObject;
  text?: string;
  success?: boolean;
  verbose?: boolean;
  colors?: boolean;
}

function details(
  toolName: string,
  { text = '', success = true, args = {}, metadata, ...how }: Shown,
): string[] {
  const { verbose = false, colors = false } = how;
  const result = { toolName, success, sanitized: [{ type: 'text' as const, text }] };
  const options = { args, metadata, columns: 40, verbose, paint: createPaint(colors) };
  return toolDetails(result, options).split('\n').slice(0, -1);
}

const lines = (count: number, name = 'line') => Array.from({ length: count }, (_, at) => `${name} ${at + 1}`);

describe('the change of a file', () => {
  it('shows the patch with the line numbers of the file, coloured', () => {
    const patch =
      '@@ -9,3 +9,3 @@\n \tkeep\n-old\n+new\n@@ -30,0 +31,1 @@\n+last\n\\ No newline at end of file';
    expect(details('edit', { metadata: { patch } })).toEqual([
      '     9       keep',
      '    10 - old',
      '    10 + new',
      '       …',
      '    31 + last',
    ]);
    expect(details('edit', { metadata: { patch }, colors: true })[1]).toBe(
      '    \u001b[31m10 - old\u001b[39m',
    );
  });

  it('shows twelve lines, and all with --verbose', () => {
    const content = lines(20).join('\n');
    const args = { path: 'a', content };
    expect(details('write', { args, metadata: { created: true } })).toEqual([
      ...lines(12).map((line, at) => `    ${String(at + 1).padStart(2)} + ${line}`),
      '    +8 more lines',
    ]);
    expect(details('write', { args, verbose: true })).toHaveLength(20);
    expect(details('write', { args, metadata: { created: false } })).toEqual([]);
  });

  it('shows what an edit of an older version replaced, cut at the width and without control characters', () => {
    const args = { path: 'a', old: 'x'.repeat(80), new: 'a\u001b[2Jb' };
    expect(details('edit', { args })).toEqual([`    - ${'x'.repeat(33)}…`, '    + a[2Jb']);
    expect(details('edit', { args, verbose: true })[0]).toBe(`    - ${'x'.repeat(80)}`);
  });
});

describe('the output of a command', () => {
  it('shows the last three lines, more of a failure, and all with --verbose', () => {
    const text = `${lines(20).join('\n')}\n[exit code 0]`;
    expect(details('bash', { text })).toEqual([
      '    +17 more lines',
      '    line 18',
      '    line 19',
      '    line 20',
    ]);
    expect(details('bash', { text, success: false })).toHaveLength(13);
    expect(details('bash', { text, verbose: true })).toHaveLength(20);
    expect(details('bash', { text: '[no output, exit code 0]' })).toEqual([]);
  });

  it('keeps the reason of an end without an exit code', () => {
    expect(details('bash', { text: 'a\n[timed out after 5 ms]', success: false })).toEqual([
      '    a',
      '    [timed out after 5 ms]',
    ]);
  });
});

describe('the reason of a failure', () => {
  it('shows the whole error of an edit, wrapped at the width, with the text of the file', () => {
    const text = `src/a.ts: \`old\` was not found. The nearest text is at lines 3 to 40:\n${lines(20).join('\n')}`;
    const shown = details('edit', { text, success: false });
    expect(shown.slice(0, 3)).toEqual([
      '    src/a.ts: `old` was not found. The',
      '    nearest text is at lines 3 to 40:',
      '    line 1',
    ]);
    expect(shown).toHaveLength(22);
  });

  it('shows twelve lines of other tools', () => {
    expect(details('read', { text: lines(20).join('\n'), success: false }).slice(-2)).toEqual([
      '    line 12',
      '    +8 more lines',
    ]);
    expect(details('read', { text: 'x'.repeat(100), success: false })).toEqual(
      [36, 36, 28].map((width) => `    ${'x'.repeat(width)}`),
    );
    expect(details('read', { text: 'fine' })).toEqual([]);
  });
});
