import { expect, it } from 'vitest';
import { claudeHooks } from './claude-hooks.ts';

const file = { name: '.claude/settings.json', prefix: 'claude', onHost: false };
const read = (hooks: object, more: object = {}) => claudeHooks({ hooks, ...more }, file);
const group = (hook: object, matcher?: string) => [{ matcher, hooks: [hook] }];
const command = { type: 'command', command: './check' };

it('reads hooks with their events, matchers and timeouts', () => {
  const settings = {
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ ...command, timeout: 1.5 }, command] },
      { matcher: '*', hooks: [command] },
    ],
    PostToolUse: group(command, 'Edit|Write'),
    UserPromptSubmit: group(command),
    SessionStart: group(command, 'startup|resume'),
    PreCompact: group(command, 'auto|manual'),
    Stop: group({ ...command, statusMessage: 'Checking' }, ''),
  };
  expect(read(settings)).toEqual({
    hooks: {
      'claude-PreToolUse-1': { on: 'tool.before', command: './check', tools: 'Bash', timeoutMs: 1500 },
      'claude-PreToolUse-2': { on: 'tool.before', command: './check', tools: 'Bash' },
      'claude-PreToolUse-3': { on: 'tool.before', command: './check' },
      'claude-PostToolUse-1': { on: 'tool.after', command: './check', tools: 'Edit|Write' },
      'claude-UserPromptSubmit-1': { on: 'prompt.submit', command: './check' },
      'claude-SessionStart-1': { on: 'session.start', command: './check' },
      'claude-PreCompact-1': { on: 'compaction.before', command: './check' },
      'claude-Stop-1': { on: 'run.end', command: './check' },
    },
    warnings: [],
  });
});

it.each([
  [{ Notification: group(command) }, 'hook 1 of Notification does not run: Longhaul has no such event.'],
  [{ Stop: group({ type: 'prompt', prompt: 'x' }) }, 'only hooks of the type "command" are supported'],
  [{ PreToolUse: group(command, 'a(b)') }, 'its matcher "a(b)" is not supported'],
  [{ PreToolUse: group({ ...command, if: 'Bash(git *)' }) }, 'its field "if" is not supported'],
  [{ PreCompact: group(command, 'manual') }, 'Longhaul does not tell these cases apart'],
  [{ SessionStart: group(command, 'compact') }, 'it is only for "compact"'],
])('says why the hook of %j does not run', (settings, reason) => {
  expect(read(settings)).toEqual({ hooks: {}, warnings: [expect.stringContaining(reason)] });
});

it.each([undefined, null, [], { Stop: 'x' }, { Stop: [1, { hooks: 'x' }, { hooks: [2] }] }])(
  'reads nothing from %j',
  (settings) => {
    expect(claudeHooks({ hooks: settings }, file)).toEqual({ hooks: {}, warnings: [] });
  },
);

it('reads nothing if the file disables its hooks', () => {
  expect(read({ Stop: group(command) }, { disableAllHooks: true })).toEqual({ hooks: {}, warnings: [] });
});

it('keeps a command that is only a variable for the shell', () => {
  const { hooks } = read({ Stop: group({ ...command, command: '$CHECK' }) });
  expect(hooks['claude-Stop-1']?.command).toBe('$CHECK ');
});
