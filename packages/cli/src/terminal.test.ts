import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { processTerminal, safeTerminal } from './terminal.ts';

function outputOf(isTTY: boolean): string {
  const out = Object.assign(new PassThrough(), { isTTY });
  const terminal = safeTerminal({ ...processTerminal(), input: process.stdin, out, err: out });
  terminal.out.write(`${JSON.stringify({ text: 'a\u202eb\u009bc\u001b[2J' })}\u001b[1m\n`);
  return String(out.read());
}

it('escapes bidirectional and C1 control characters for a terminal, and keeps JSON valid and colours', () => {
  const text = outputOf(true);
  expect(text).toBe('{"text":"a\\u202eb\\u009bc\\u001b[2J"}\u001b[1m\n');
  expect(JSON.parse(text.replace('\u001b[1m', ''))).toEqual({ text: 'a\u202eb\u009bc\u001b[2J' });
});

it('writes the exact bytes to a file or a pipe', () => {
  expect(outputOf(false)).toBe('{"text":"a\u202eb\u009bc\\u001b[2J"}\u001b[1m\n');
});
