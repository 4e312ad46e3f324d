import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readProc } from './host-processes.ts';

it.runIf(existsSync('/proc/self/environ'))('reads large and small files below /proc whole', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `VALUE_${index}`);
  const env = Object.fromEntries(names.map((name) => [name, name.repeat(2_000)]));
  const child = spawn('/bin/cat', [], { env });
  try {
    await once(child, 'spawn');
    const expected = Object.entries(env).map(([name, value]) => `${name}=${value}\0`);
    expect(readProc(`${child.pid}/environ`)).toBe(expected.join(''));
    expect(readProc(`${child.pid}/comm`)).toBe('cat\n');
  } finally {
    child.kill();
  }
});

it('returns undefined for a process that does not exist, and for a folder', () => {
  expect(readProc('none/stat')).toBeUndefined();
  expect(readProc('self')).toBeUndefined();
});
