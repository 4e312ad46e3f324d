import { expect, it } from 'vitest';
import { toToolName } from './tool-name.ts';

const ACCEPTED = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

it.each([
  ['bash', 'bash'],
  ['functions.bash', 'functions_bash'],
  ['bash<|channel|>commentary', 'bash_channel_commentary'],
  ['', '_'],
  ['2fast', '_2fast'],
  ['-x', '_-x'],
  ['Überprüfen', '_berpr_fen'],
  ['n'.repeat(70), 'n'.repeat(64)],
  ['mcp: read file', 'mcp_read_file'],
])('fits the tool name %j', (name, fitted) => {
  expect(toToolName(name)).toBe(fitted);
  expect(fitted).toMatch(ACCEPTED);
});
