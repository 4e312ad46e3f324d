import { expect, it } from 'vitest';
import { toolPatterns } from './claude-matcher.ts';

it.each([
  ['Bash', 'Bash'],
  ['Edit|Write| MultiEdit', 'Edit|Write|MultiEdit'],
  ['Notebook.*', 'Notebook*'],
  ['mcp__camera__photo', 'camera_photo'],
  ['mcp__camera__.*', 'camera_*'],
  ['mcp__camera', 'camera_*'],
  ['mcp__.*', undefined],
  ['^Bash$', undefined],
  ['Edit|(Write|Read)', undefined],
  ['Bash(git *)', undefined],
])('reads the matcher %s as %s', (matcher, expected) => {
  expect(toolPatterns(matcher)).toBe(expected);
});
