import type { ApprovalRule } from '@longhaul/approvals';
import { visibleLine } from '@longhaul/protocol';
import { ruleLine } from '../../render/rule-line.ts';
import type { LocalRules } from '../connection/connection.ts';
import type { SlashContext } from './slash-command.ts';

const USAGE =
  'Write /permissions allow bash npm test *, with ask or deny in place of allow; for fetch, a URL; for another tool, a path: /permissions deny read .env*. To remove a rule: /permissions remove.';

/** Adds a rule to the user's own file, or removes one, after the person has seen it. */
export async function changeRules(words: string, context: SlashContext): Promise<void> {
  const { local, print } = context;
  if (local === undefined)
    return print('The rules are in the configuration of the server. Change them there.\n');
  const { rules } = local.access;
  if (words === 'remove') return await removeRule(rules, context);
  const rule = readRule(words);
  if (rule === undefined) return print(`${USAGE}\n`);
  print(`${ruleLine(rule)}\n`);
  const unknown = rules.unknownTool(rule.tool);
  if (unknown !== undefined) print(`${unknownText(rule.tool, unknown.hint)}\n`);
  if (!(await agrees(`Write this rule into ${visibleLine(rules.file)}?`, context))) return;
  await rules.add([rule]);
  print(`${ruleLine(rule)} is written. It counts from the next run on.\n`);
}

const SUBJECTS: Readonly<Record<string, 'command' | 'url'>> = { bash: 'command', fetch: 'url' };

/** `allow bash npm test *`: the action, the tool, and a pattern of its commands, paths or URLs. */
function readRule(words: string): ApprovalRule | undefined {
  const [, action, tool, pattern] = /^(allow|ask|deny)\s+(\S+)(?:\s+([\s\S]+))?$/.exec(words) ?? [];
  if (tool === undefined || (action !== 'allow' && action !== 'ask' && action !== 'deny')) return undefined;
  const subject = SUBJECTS[tool] ?? 'path';
  return { tool, ...(pattern !== undefined && { [subject]: pattern }), action };
}

function unknownText(tool: string, hint: string): string {
  return `! Longhaul has no tool "${visibleLine(tool)}".${hint} The rule decides only about a tool of an MCP server with this name.`;
}

async function removeRule(rules: LocalRules, { surface, print }: SlashContext): Promise<void> {
  await rules.reload();
  const current = rules.current();
  if (current.length === 0) return print('No rules are set.\n');
  const rule = await surface.pick({
    title: `Remove which rule from ${visibleLine(rules.file)}?`,
    items: current.map((each) => ({ value: each, label: ruleText(each).trim() })),
  });
  if (rule === undefined) return;
  const wasThere = await rules.remove(rule);
  print(wasThere ? `${ruleLine(rule)} is removed, from the next run on.\n` : 'The rule no longer exists.\n');
}

async function agrees(title: string, { surface }: SlashContext): Promise<boolean> {
  const items = [
    { value: true, label: 'Yes' },
    { value: false, label: 'No, change nothing' },
  ];
  return (await surface.pick({ title, items })) === true;
}

/** A line of the list of rules. */
export function ruleText({ tool, command, path, url, action }: ApprovalRule): string {
  const subject = [tool, command, path, url].filter((part) => part !== undefined).join(' ');
  return `  ${action.padEnd(6)} ${visibleLine(subject)}`;
}
