import { describe, expect, test } from 'vitest';
import { type ApprovalAction, type ApprovalRule, createJudge } from './approval-rules.ts';

const ALL: ApprovalRule = { tool: '*', action: 'allow' };

function patchOf(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
}

const UPDATE = patchOf('*** Update File: src/a.ts', '@@', '-x', '+y');
const ADD = patchOf('*** Add File: src/a.ts', '+y');
const DELETE = patchOf('*** Delete File: src/a.ts');
const MOVE = patchOf('*** Update File: src/a.ts', '*** Move to: secret/a.ts', '@@', '-x', '+y');

const DENY_EDIT: ApprovalRule = { tool: 'edit', path: 'src/**', action: 'deny' };
const DENY_WRITE: ApprovalRule = { tool: 'write', path: 'src/**', action: 'deny' };

/** Every way to hand a patch over. */
const WAYS: [string, (patch: string) => { toolName: string; input: { [key: string]: string } }][] = [
  ['the tool', (patch) => ({ toolName: 'apply_patch', input: { patch } })],
  [
    'the tool, in a folder',
    (patch) => ({ toolName: 'apply_patch', input: { patch: patch.replaceAll('src/', ''), workdir: 'src' } }),
  ],
  ['a command', (patch) => bash(`apply_patch <<'EOF'\n${patch}\nEOF`)],
  ['a shell', (patch) => bash(`bash -lc "apply_patch <<'EOF'\n${patch}\nEOF"`)],
  [
    'a command after cd',
    (patch) => bash(`cd src && apply_patch <<'EOF'\n${patch.replaceAll('src/', '')}\nEOF`),
  ],
  [
    'a command in a folder',
    (patch) => ({
      toolName: 'bash',
      input: { command: `apply_patch <<'EOF'\n${patch.replaceAll('src/', './')}\nEOF`, workdir: 'src' },
    }),
  ],
  [
    'a second patch',
    (patch) =>
      bash(`apply_patch <<'A'\n${patchOf('*** Add File: x', '+x')}\nA\napply_patch <<'B'\n${patch}\nB`),
  ],
];

function bash(command: string) {
  return { toolName: 'bash', input: { command } };
}

async function judge(
  rules: readonly ApprovalRule[],
  call: { toolName: string; input: { [key: string]: string } },
  fallback: ApprovalAction = 'ask',
) {
  return (await createJudge(rules)({ ...call, workspacePath: '/w' }, fallback)).action;
}

describe.each(WAYS)('a patch through %s', (_what, through) => {
  test('is judged as an edit of each file', async () => {
    expect(await judge([ALL, DENY_EDIT], through(UPDATE))).toBe('deny');
    expect(await judge([ALL, { ...DENY_EDIT, path: 'other/**' }], through(UPDATE))).toBe('allow');
    expect(await judge([ALL, { ...DENY_EDIT, path: 'a.ts' }], through(UPDATE))).toBe('deny');
  });

  test('is judged as a write of each new file', async () => {
    expect(await judge([ALL, DENY_WRITE], through(ADD))).toBe('deny');
  });

  test('deletes only what edit, write and rm may change', async () => {
    expect(await judge([ALL, DENY_EDIT], through(DELETE))).toBe('deny');
    expect(await judge([ALL, DENY_WRITE], through(DELETE))).toBe('deny');
    expect(await judge([ALL, { tool: 'bash', command: 'rm *', action: 'deny' }], through(DELETE))).toBe(
      'deny',
    );
    expect(
      await judge(
        [
          { tool: 'edit', action: 'allow' },
          { tool: 'write', action: 'allow' },
        ],
        through(DELETE),
      ),
    ).toBe('ask');
  });

  test('is stopped by a rule for the whole tool', async () => {
    expect(await judge([ALL, { tool: 'edit', action: 'ask' }], through(UPDATE))).toBe('ask');
    expect(await judge([ALL, { tool: 'apply_patch', action: 'deny' }], through(UPDATE))).toBe('deny');
  });
});

test('judges the source and the target of a move', async () => {
  const move = { toolName: 'apply_patch', input: { patch: MOVE } };
  expect(await judge([ALL, { tool: 'write', path: 'secret/**', action: 'deny' }], move)).toBe('deny');
  expect(await judge([ALL, DENY_EDIT], move)).toBe('deny');
  expect(await judge([ALL, { tool: 'write', path: 'other/**', action: 'deny' }], move)).toBe('allow');
});

test('lets rules for edit and write allow a patch', async () => {
  const rules: ApprovalRule[] = [
    { tool: 'edit', path: 'src/**', action: 'allow' },
    { tool: 'write', path: 'src/**', action: 'allow' },
  ];
  expect(await judge(rules, { toolName: 'apply_patch', input: { patch: UPDATE } })).toBe('allow');
  expect(await judge(rules, { toolName: 'apply_patch', input: { patch: ADD } })).toBe('allow');
  expect(await judge(rules, { toolName: 'apply_patch', input: { patch: MOVE } })).toBe('ask');
});

test('judges a typed patch as a command too, and the commands after it', async () => {
  const typed = bash(`apply_patch <<'EOF' && rm -rf x\n${UPDATE}\nEOF\ncurl example.org`);
  expect(await judge([ALL, { tool: 'bash', command: 'apply_patch *', action: 'deny' }], typed)).toBe('deny');
  expect(await judge([ALL, { tool: 'bash', command: 'rm *', action: 'deny' }], typed)).toBe('deny');
  expect(await judge([ALL, { tool: 'bash', command: 'curl *', action: 'deny' }], typed)).toBe('deny');
  expect(await judge([{ tool: 'edit', action: 'allow' }], typed)).toBe('ask');
  expect(await judge([ALL, { tool: 'bash', action: 'deny' }], typed)).toBe('deny');
});
