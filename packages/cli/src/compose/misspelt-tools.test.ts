import { DEFAULT_CONFIG } from '@longhaul/config';
import { expect, it } from 'vitest';
import { misspeltTools } from './misspelt-tools.ts';

function warningsFor(...tools: string[]) {
  const servers = { files: { command: 'npx' } };
  const config = {
    approvals: tools.map((tool) => ({ tool, action: 'deny' as const })),
    mcp: { ...DEFAULT_CONFIG.mcp, servers },
  };
  return misspeltTools(config).map((event) => ('message' in event ? event.message : ''));
}

it('warns about a rule for a misspelt tool, and suggests the right name', () => {
  expect(warningsFor('read', 'raed', 'bahs')).toEqual([
    'approvals has a rule (deny) for "raed", but there is no tool with this name. Did you mean "read"?',
    'approvals has a rule (deny) for "bahs", but there is no tool with this name. Did you mean "bash"?',
  ]);
});

it('accepts patterns, tools of some sessions, tools of servers, and names that resemble no tool', () => {
  expect(warningsFor('*', 're*', 'skill', 'apply_patch', 'files_read', 'tracker_new_issue')).toEqual([]);
});
