import { expect, it } from 'vitest';
import { readHookOutput } from './hook-output.ts';

const json = (value: object) => ({ exitCode: 0, stdout: JSON.stringify(value), stderr: '' });
const specific = (fields: object) => json({ hookSpecificOutput: fields });

it.each([
  ['tool.before', { exitCode: 0, stdout: 'fine', stderr: '' }, {}],
  ['tool.before', { exitCode: 2, stdout: '', stderr: 'no rm\n' }, { deny: 'no rm' }],
  ['tool.before', { exitCode: 1, stdout: '', stderr: 'oops' }, { notice: 'failed with exit code 1: oops' }],
  ['tool.before', { exitCode: undefined, stdout: '', stderr: '' }, { notice: 'failed with a signal' }],
  ['tool.before', specific({ permissionDecision: 'deny', permissionDecisionReason: 'why' }), { deny: 'why' }],
  ['tool.before', specific({ permissionDecision: 'allow' }), {}],
  ['tool.before', specific({ updatedInput: { command: 'ls' } }), { input: { command: 'ls' } }],
  ['tool.before', json({ decision: 'block', reason: 'old form' }), { deny: 'old form' }],
  ['tool.before', json({ continue: false, stopReason: 'stop' }), { deny: 'stop' }],
  ['tool.after', { exitCode: 2, stdout: '', stderr: 'lint' }, { text: 'lint' }],
  ['tool.after', json({ decision: 'block', reason: 'lint' }), { text: 'lint' }],
  ['tool.after', specific({ additionalContext: 'more' }), { text: 'more' }],
  ['prompt.submit', { exitCode: 0, stdout: 'context\n', stderr: '' }, { text: 'context' }],
  ['prompt.submit', json({ decision: 'block', reason: 'a key' }), { deny: 'a key' }],
  ['run.end', json({ decision: 'block', reason: 'tests' }), { deny: 'tests' }],
  ['run.end', json({ continue: false }), {}],
  ['compaction.before', { exitCode: 0, stdout: 'keep', stderr: '' }, { text: 'keep' }],
  ['run.end', json({ systemMessage: 'hi' }), { notice: 'hi' }],
  ['tool.before', { exitCode: 0, stdout: '{broken', stderr: '' }, {}],
] as const)('reads the output of %s: %j', (on, output, expected) => {
  const result = readHookOutput(on, output);
  expect(JSON.parse(JSON.stringify(result))).toEqual(expected);
});
