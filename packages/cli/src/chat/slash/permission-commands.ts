import { visibleLine } from '@longhaul/protocol';
import { fitLine } from '../../render/format.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import { trustPage } from '../../trust/trust-page.ts';
import type { LocalAccess } from '../connection/connection.ts';
import { changeRules, ruleText } from './change-rules.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

export const PERMISSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'permissions',
    hint: '[allow|ask|deny TOOL [PATTERN] | remove]',
    description: 'the rules for calls, and what you allowed in this session; add or remove a rule',
    async run(words, context) {
      if (words !== '') return await changeRules(words, context);
      const { local, print, columns } = context;
      print(`${[...rulesText(local?.access, columns), '', ...(await answersText(context))].join('\n')}\n`);
    },
  },
  {
    name: 'trust',
    description: 'settings, skills, hooks, commands and MCP servers of this folder that need your trust',
    run: trust,
  },
];

/** The rules in force, in the order in which they count, and what decides if none matches. */
function rulesText(access: LocalAccess | undefined, columns: number): string[] {
  if (access === undefined) return ['The rules are in the configuration of the server.'];
  const { rules, sandbox } = access;
  const current = rules.current();
  const head =
    current.length === 0
      ? 'No rules are set (approvals in longhaul.yml).'
      : `Rules ${originText(rules.origin())}; the last one that matches decides:`;
  const otherwise =
    sandbox === 'local'
      ? 'Without a matching rule, reading in the workspace is allowed, and all else asks (sandbox local).'
      : `Without a matching rule, a call is allowed (sandbox ${sandbox}).`;
  const how = 'To add one: /permissions allow bash npm test *. To remove one: /permissions remove.';
  const sentence = (text: string) => wrapText(text, columns).trimEnd();
  return [sentence(head), ...current.map(ruleText), sentence(otherwise), sentence(how)];
}

function originText(origin: ReturnType<LocalAccess['rules']['origin']>): string {
  if (origin?.path === undefined) return '';
  return `from ${visibleLine(origin.path)} (${origin.from})`;
}

/** What was asked in this session. An answer `always` counts as a rule until the session ends. */
async function answersText({ client, conversation, columns }: SlashContext): Promise<string[]> {
  const approvals =
    conversation.id === undefined ? [] : (await client.approvals.list(conversation.id)).approvals;
  if (approvals.length === 0) return ['No call needed your approval in this session.'];
  const lines = approvals.map(({ handle, toolName, args, answer, reason }) => {
    const why = reason === undefined ? '' : ` (${reason})`;
    return fitLine(`  ${answer ?? 'open'}  ${toolName} ${JSON.stringify(args)}${why}  ${handle}`, columns);
  });
  return ['Your answers in this session; "always" counts for the same call until it ends:', ...lines];
}

async function trust(_words: string, { local, surface, print }: SlashContext): Promise<void> {
  if (local === undefined) return print('Trust is given on the machine of the server: longhaul trust.\n');
  const { project, allow, withdraw } = local.access;
  if (project === undefined)
    return print(
      'Nothing in this folder needs your trust: it has no longhaul.yml, skills, hooks, commands or MCP servers.\n',
    );
  print(trustPage(project));
  if (project.wants.length === 0) return;
  if (project.problem !== undefined) return print(`${project.problem}\n`);
  const choice = await surface.pick({
    title: `Trust what ${visibleLine(project.file)} wants?`,
    items: [
      { value: 'keep', label: 'Leave it as it is' },
      { value: 'allow', label: 'Trust it' },
      { value: 'withdraw', label: 'Withdraw trust' },
    ] as const,
  });
  if (choice === undefined || choice === 'keep') return;
  await (choice === 'allow' ? allow() : withdraw());
  print(`${choice === 'allow' ? 'It is trusted' : 'It is no longer trusted'}, from the next start on.\n`);
}
