import type { ApprovalRule } from '@longhaul/approvals';
import { DEFAULT_CONFIG } from '@longhaul/config';
import { expect, it } from 'vitest';
import { unknownTool } from '../../compose/misspelt-tools.ts';
import { changeRules } from './change-rules.ts';
import type { SlashContext } from './slash-command.ts';

/** Enters the words of `/permissions`, and agrees. Returns what was shown and written. */
async function enter(words: string) {
  let shown = '';
  const written: ApprovalRule[] = [];
  const context = {
    local: {
      access: {
        rules: {
          file: '/home/me/longhaul.yml',
          unknownTool: (tool: string) => unknownTool(tool, DEFAULT_CONFIG),
          add: async (rules: readonly ApprovalRule[]) => void written.push(...rules),
        },
      },
    },
    surface: { pick: async () => true },
    print: (text: string) => {
      shown += text;
    },
  } as unknown as SlashContext;
  await changeRules(words, context);
  return { shown, written };
}

it('writes a rule for a tool without a warning', async () => {
  const { shown, written } = await enter('allow bash npm test *');
  expect(written).toEqual([{ tool: 'bash', command: 'npm test *', action: 'allow' }]);
  expect(shown).not.toContain('!');
});

it.each([
  ['deny raed .env', 'Longhaul has no tool "raed". Did you mean "read"?'],
  ['ask tracker_search', 'Longhaul has no tool "tracker_search". The rule decides only about'],
])('warns before it writes the rule of "%s", whose tool is unknown', async (words, warning) => {
  const { shown, written } = await enter(words);
  expect(shown).toContain(warning);
  expect(written).toHaveLength(1);
});
