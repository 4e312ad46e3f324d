import { expect, it } from 'vitest';
import { readControls, showControls } from './visible-controls.ts';

it('shows each control character but tab and line feed as an escape, which can be read again', () => {
  for (let code = 0; code < 0x120; code += 1) {
    const char = String.fromCharCode(code);
    const isControl = (code < 0x20 && char !== '\t' && char !== '\n') || (code >= 0x7f && code <= 0x9f);
    expect(showControls(char)).toBe(isControl ? `\\u${code.toString(16).padStart(4, '0')}` : char);
    expect(readControls(showControls(char))).toBe(char);
  }
  expect(readControls('\\u001B[0m \\u000a \\u0009 \\u0041 \\x1b')).toBe(
    '\u001b[0m \\u000a \\u0009 \\u0041 \\x1b',
  );
});
