import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readLine } from './read-line.ts';
import { processTerminal } from './terminal.ts';

it('returns the lines of one piece of input one by one, then null at its end, and undefined on an abort', async () => {
  const [input, out] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
  const terminal = Object.defineProperty({ ...processTerminal(), out }, 'input', { value: input });
  const ask = (signal?: AbortSignal) => readLine('Why? ', { terminal, signal });
  input.write('first\nsecond\n');
  expect([await ask(), await ask()]).toEqual(['first', 'second']);
  const ended = new AbortController();
  const asked = ask(ended.signal);
  ended.abort();
  expect(await asked).toBeUndefined();
  expect(await ask(ended.signal)).toBeUndefined();
  input.end();
  expect(await ask()).toBeNull();
  expect(out.read()).toBe('Why? Why? Why? \n');
});
