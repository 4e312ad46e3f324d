// @vitest-environment happy-dom
import type { ToolPart } from '@longhaul/protocol';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { shownSession } from '../../data/shown-session.fixture.tsx';
import { ToolView } from './tool-view.tsx';

afterEach(cleanup);

let calls = 0;

function shown(more: Partial<ToolPart>): HTMLElement {
  calls += 1;
  const part: ToolPart = {
    type: 'tool',
    callId: `call-${calls}`,
    name: 'bash',
    input: {},
    state: 'error',
    ...more,
  };
  return shownSession('s').show(<ToolView part={part} />).container;
}

const text = (output: string) => [{ type: 'text' as const, text: output }];

describe('ToolView', () => {
  it('shows a command with its output and how it ended', () => {
    const page = shown({
      input: { command: 'npm test' },
      output: text('2 failed\n[exit code 1]'),
      metadata: { ended: 'exit', exitCode: 1, durationMs: 3_200 },
    });
    expect(page.textContent).toContain('$ npm test');
    expect(page.querySelector('.tool-output')?.textContent).toBe('2 failed');
    expect(page.textContent).toContain('Exit code 1 after 3.2 s.');
    expect(page.querySelector('summary')?.textContent).toContain('failed');
    screen.getByRole('button', { name: 'Copy command' });
    screen.getByRole('button', { name: 'Copy output' });
  });

  it('shows a change with signs and numbers', () => {
    const page = shown({
      name: 'edit',
      state: 'completed',
      input: { path: 'a.ts' },
      metadata: { path: 'a.ts', patch: '@@ -3,2 +3,2 @@\n same\n-old\n+new' },
    });
    expect([...page.querySelectorAll('.diff-line')].map((line) => line.textContent)).toEqual([
      '⋯',
      '33 same',
      '4−old',
      '4+new',
    ]);
    expect(page.textContent).toContain('1 line added, 1 removed');
  });

  it('says in words that a call failed or was interrupted', () => {
    expect(shown({ name: 'x', error: 'There is no tool "x".' }).textContent).toContain(
      'Failed: There is no tool "x".',
    );
    cleanup();
    expect(shown({ state: 'interrupted' }).querySelector('summary')?.textContent).toContain('interrupted');
  });

  it('leaves out the body of a closed call', () => {
    const page = shown({ state: 'completed', output: text('much output') });
    expect(page.textContent).not.toContain('much output');
  });

  const HOSTILE = '<img src=x onerror=alert(1)><script>alert(1)</script>\u001b]8;;javascript:alert(1)\u0007x';
  const SHAPES: [string, Partial<ToolPart>][] = [
    ['a name', { name: HOSTILE }],
    ['a title', { title: HOSTILE }],
    ['an error', { error: HOSTILE }],
    ['a command', { input: { command: HOSTILE } }],
    ['arguments of no shape', { name: 'other', input: [HOSTILE, { [HOSTILE]: null }] }],
    ['text in place of arguments', { inputText: HOSTILE, input: 5 }],
    ['an output', { output: text(HOSTILE) }],
    ['a patch', { name: 'edit', metadata: { patch: HOSTILE } }],
    ['an edit', { name: 'edit', input: { path: HOSTILE, old: HOSTILE, new: HOSTILE } }],
    ['search results', { name: 'grep', state: 'error', output: text(`${HOSTILE}\n1:${HOSTILE}`) }],
    ['a file', { name: 'read', output: text(`1\t${HOSTILE}`), input: { path: HOSTILE } }],
    ['a plan', { name: 'todo', metadata: { items: [{ text: HOSTILE, status: HOSTILE }, null, 7] } }],
    [
      'facts of wrong types',
      { metadata: { exitCode: {}, ended: [], durationMs: 'x', patch: 3, files: 'y' } },
    ],
  ];

  it.each(SHAPES)('shows hostile text as text: %s', (_, part) => {
    const page = shown(part);
    expect(page.querySelectorAll('img, script, iframe, a, [onerror]')).toHaveLength(0);
    expect(page.querySelector('summary')).not.toBeNull();
    // Control characters of outputs are removed.
    expect(page.querySelector('.tool-output')?.textContent ?? '').not.toContain('\u001b');
  });

  it.each([
    ['SVG', 'image/svg+xml'],
    ['HTML', 'text/html'],
  ])('offers %s for download only', async (_, mediaType) => {
    const data = btoa('<svg onload="alert(1)"/>');
    const page = shown({ name: 'read', output: [{ type: 'file', data, mediaType, filename: 'x.svg' }] });
    const link = await screen.findByRole('link');
    expect(link.getAttribute('download')).toBe('x.svg');
    expect(link.getAttribute('href')).toMatch(/^blob:/);
    expect(page.querySelectorAll('img, svg[onload], iframe')).toHaveLength(0);
  });
});
