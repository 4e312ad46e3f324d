import { expect, it } from 'vitest';
import { alwaysRules } from './always-rules.ts';

const rulesFor = (toolName: string, input: Record<string, string>) =>
  alwaysRules({ toolName, input, workspacePath: '/work', realPath: async (path) => path });

it.each([
  ['bash', { command: 'npm test' }, [{ tool: 'bash', command: 'npm test', action: 'allow' }]],
  [
    'bash',
    { command: 'npm test && git push' },
    [
      { tool: 'bash', command: 'npm test', action: 'allow' },
      { tool: 'bash', command: 'git push', action: 'allow' },
    ],
  ],
  ['bash', { command: 'echo ran > f' }, [{ tool: 'bash', command: 'echo ran > f', action: 'allow' }]],
  ['edit', { path: 'src/a.ts' }, [{ tool: 'edit', action: 'allow' }]],
  ['read', { path: '/etc/ho[s]ts' }, [{ tool: 'read', path: '/etc/ho\\[s\\]ts', action: 'allow' }]],
])('writes rules for %s %j', async (toolName, input, rules) => {
  expect(await rulesFor(toolName, input)).toEqual(rules);
});

it.each([
  ['a pattern', 'bash', { command: 'rm *.o' }],
  ['a line that is not understood', 'bash', { command: 'cat <<X\na\nX' }],
  ['a pattern as a tool', 'mcp*', { path: 'a' }],
  ['a patch', 'apply_patch', { patch: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' }],
])('writes none for %s', async (_, toolName, input) => {
  expect(await rulesFor(toolName, input)).toBeUndefined();
});
