import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { currentOwner, isOwnerAlive } from './lease-owner.ts';

describe('isOwnerAlive', () => {
  it('recognises this process, and no other with its pid', () => {
    const owner = currentOwner();
    expect(isOwnerAlive(owner)).toBe(true);
    expect(isOwnerAlive({ ...owner, processStartedAt: '1' })).toBe(false);
    expect(isOwnerAlive({ ...owner, bootId: 'another boot' })).toBe(false);
    expect(isOwnerAlive({ ...owner, pid: 2 ** 22 - 1 })).toBe(false);
  });

  it('treats an owner on another host as alive', () => {
    expect(isOwnerAlive({ ...currentOwner(), host: 'elsewhere', bootId: 'x' })).toBe(true);
  });

  it.skipIf(!existsSync('/proc/self/stat'))(
    'treats a zombie as dead: it kept its start time and its session',
    async () => {
      // The child exits when the shell has become `sleep`, which never reaps it.
      const child = '(until grep -qx sleep /proc/$$/comm; do :; done)';
      const shell = spawn('sh', ['-c', `${child} & echo $!; exec sleep 600`], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const pid = Number(
        await new Promise<string>((resolve) =>
          shell.stdout.once('data', (data: Buffer) => resolve(data.toString())),
        ),
      );
      try {
        const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        while (stat()[0] !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5));
        expect(isOwnerAlive({ ...currentOwner(), pid, processStartedAt: stat()[19] ?? '' })).toBe(false);
      } finally {
        shell.kill('SIGKILL');
      }
    },
  );
});
