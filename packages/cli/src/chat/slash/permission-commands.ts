import type { ApprovalRule } from '@longhaul/approvals';
import type { ConfigOrigin } from '@longhaul/config';
import { fitLine } from '../../render/format.ts';
import { visibleLine } from '../../render/visible.ts';
import { trustPage } from '../../trust/trust-page.ts';
import type { LocalAccess } from '../connection/connection.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

export const PERMISSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'permissions',
    description: 'the rules for calls, and what you allowed and refused in this session',
    async run(_words, context) {
      const { local, print } = context;
      print(`${[...(await rulesText(local?.access)), '', ...(await answersText(context))].join('\n')}\n`);
    },
  },
  {
    name: 'trust',
    description: 'what the project’s longhaul.yml wants; trust it, or withdraw trust',
    run: trust,
  },
];

/** The rules in force, in the order in which they count, and what decides if none matches. */
async function rulesText(access: LocalAccess | undefined): Promise<string[]> {
  if (access === undefined) return ['The rules are in the configuration of the server.'];
  const { rules, origin, sandbox } = access;
  const head =
    rules.length === 0
      ? 'No rules are set (approvals in longhaul.yml).'
      : `Rules ${originText(origin)}; the last one that matches decides:`;
  const otherwise =
    sandbox === 'local'
      ? 'Without a matching rule, reading in the workspace is allowed, and all else asks (sandbox local).'
      : `Without a matching rule, a call is allowed (sandbox ${sandbox}).`;
  return [head, ...rules.map(ruleText), otherwise];
}

function originText(origin: ConfigOrigin | undefined): string {
  if (origin?.path === undefined) return '';
  return `from ${visibleLine(origin.path)} (${origin.from})`;
}

function ruleText({ tool, command, path, action }: ApprovalRule): string {
  const subject = [tool, command, path].filter((part) => part !== undefined).join(' ');
  return `  ${action.padEnd(6)} ${visibleLine(subject)}`;
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
  if (project === undefined) return print('This workspace has no longhaul.yml, so nothing needs trust.\n');
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
  print(`${choice === 'allow' ? 'It is trusted' : 'It is not trusted any more'}, from the next start on.\n`);
}
