import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createPaint } from './render/paint.ts';
import {
  answerText,
  escapeForTerminal,
  escapeWarnings,
  safeTerminal,
  writeControls,
} from './safe-terminal.ts';
import { processTerminal, type Terminal } from './terminal.ts';

function open(isTTY: boolean): { terminal: Terminal; written: () => string } {
  const out = Object.assign(new PassThrough(), { isTTY });
  const terminal = safeTerminal({ ...processTerminal(), input: process.stdin, out, err: out });
  return { terminal, written: () => String(out.read()) };
}

function outputOf(isTTY: boolean): string {
  const { terminal, written } = open(isTTY);
  terminal.out.write(`${JSON.stringify({ text: 'a\u202eb\u009bc\u001b[2J' })}\u001b[1m\n`);
  return written();
}

/** Every character that no text may bring to a terminal. */
const CONTROLS = [
  ...Array.from({ length: 0x20 }, (_, code) => code).filter((code) => code !== 9 && code !== 10),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCharCode(code));

const ATTACKS = {
  title: '\u001b]0;OWNED\u0007',
  clipboard: '\u001b]52;c;cm0gLXJm\u001b\\',
  'alternate screen': '\u001b[?1049h',
  'cleared screen': '\u001b[2J',
  'cursor moved up': '\u001b[A\r\u001b[K',
  'mode of pasting': '\u001b[?2004l',
  'hidden text': '\u001b[8m',
  'inverse text': '\u001b[7m',
  'black text': '\u001b[30m',
  'text of any colour': '\u001b[38;5;0m',
  'several colours': '\u001b[1;31m',
  'other intermediate bytes': '\u001b[ 31m',
  report: '\u001b[6n',
  'answer back': '\u0005',
  backspaces: 'yes\b\b\bno',
  'overwritten line': 'harmful\rharmless',
  'C1 introducer': '\u009b2J',
  reset: '\u001bc',
};

it('escapes bidirectional and control characters for a terminal, and keeps JSON valid and colours', () => {
  const text = outputOf(true);
  expect(text).toBe('{"text":"a\\u202eb\\u009bc\\u001b[2J"}\u001b[1m\n');
  expect(JSON.parse(text.replace('\u001b[1m', ''))).toEqual({ text: 'a\u202eb\u009bc\u001b[2J' });
});

it('writes the exact bytes to a file or a pipe', () => {
  expect(outputOf(false)).toBe('{"text":"a\u202eb\u009bc\\u001b[2J"}\u001b[1m\n');
  const { terminal, written } = open(false);
  terminal.out.write(Object.values(ATTACKS).join(''));
  expect(written()).toBe(Object.values(ATTACKS).join(''));
});

it.each(CONTROLS.map((character) => [character]))('escapes %j', (character) => {
  const code = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  expect(escapeForTerminal(`a${character}b`)).toBe(`a${code}b`);
  expect(answerText(open(true).terminal.out, `a${character}b`)).toBe(`a${code}b`);
});

it.each(Object.entries(ATTACKS))('lets no text bring to the terminal: %s', (_name, attack) => {
  const { terminal, written } = open(true);
  terminal.out.write(`a${attack}b`);
  expect(CONTROLS.filter((character) => written().includes(character))).toEqual([]);
});

it('keeps line breaks, tabs and the colours of the program', () => {
  const paint = createPaint(true);
  const { hasStyles: _, ...styles } = paint;
  const text = `a\tb\r\nc\n${Object.values(styles)
    .map((style) => style('x'))
    .join(' ')}${paint.dim(`a${paint.bold('b')}c`)}`;
  expect(escapeForTerminal(text)).toBe(text);
});

it('escapes a sequence that is split into several writes', () => {
  const { terminal, written } = open(true);
  for (const piece of ['\u001b', '[2J', '\u001b[', '31m', '\r', '\n']) terminal.out.write(piece);
  expect(written()).toBe('\\u001b[2J\\u001b[31m\\u000d\n');
});

it('escapes bytes, other encodings and the last chunk as it escapes text', () => {
  const { terminal, written } = open(true);
  terminal.out.write(Buffer.from('\u001b[2J\u00e4').subarray(0, 5));
  terminal.out.write(Buffer.from('\u00e4\u009b').subarray(1));
  terminal.out.write('1b5d', 'hex');
  terminal.out.write('\u009b', 'utf8');
  terminal.out.end('\u001bc');
  expect(written()).toBe('\\u001b[2J\u00e4\\u009b\\u001b]\\u009b\\u001bc');
});

it('calls back after a write, with and without an encoding', async () => {
  const { terminal } = open(true);
  await new Promise<void>((resolve) => terminal.out.write('a', () => resolve()));
  await new Promise<void>((resolve) => terminal.out.write('a', 'utf8', () => resolve()));
});

it('writes the control sequences of the program on a way of their own', () => {
  const { terminal, written } = open(true);
  writeControls(terminal.out, '\r\u001b[K');
  expect(written()).toBe('\r\u001b[K');
});

it('escapes the warnings of the process', async () => {
  const listeners = process.listeners('warning');
  onTestFinished(() => {
    process.removeAllListeners('warning');
    for (const listener of listeners) process.on('warning', listener);
  });
  const { terminal, written } = open(true);
  escapeWarnings(terminal.err);
  const warned = new Promise((resolve) => process.once('warning', resolve));
  process.emitWarning('no \u001b]0;OWNED\u0007');
  await warned;
  expect(written()).toBe('longhaul: Warning: no \\u001b]0;OWNED\\u0007\n');
});
