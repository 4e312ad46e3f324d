import * as z from 'zod';
import { count, setting, text } from './values.ts';

const HOOK_NAMES = [
  'session.start',
  'prompt.submit',
  'tool.before',
  'tool.after',
  'compaction.before',
  'compaction.after',
  'run.end',
] as const;

export const hook = z.strictObject({
  on: z.enum(HOOK_NAMES).meta({ description: 'The event at which the command runs.' }),
  command: text.meta({
    description: 'A shell command. It gets the event as JSON on standard input.',
  }),
  tools: setting(
    text,
    'Names of the tools for which a hook of tool.before or tool.after runs, separated by |. * matches any text. Default: all tools.',
  ),
  timeoutMs: setting(count, 'Milliseconds after which the command is killed. Default: 60000.'),
  onHost: setting(
    z.boolean(),
    'Whether the command runs on this machine as you, outside of the sandbox. Default: false.',
  ),
});
