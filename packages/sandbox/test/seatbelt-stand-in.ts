import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxDriver } from '@longhaul/core';
import { createSeatbeltDriver } from '../src/seatbelt/seatbelt-driver.ts';

/** Takes the arguments of `sandbox-exec`, keeps them beside itself, and isolates nothing. */
const PROGRAM = `#!/bin/sh
while [ "$1" = -D ]; do printf '%s\\n' "$2"; shift 2; done > "$0.defined"
printf '%s\\n' "$2" > "$0.profile"
shift 2
case $1 in /usr/bin/true) exit 0 ;; esac
exec "$@"
`;

export interface StandIn extends AsyncDisposable {
  driver: SandboxDriver;
  /** Path of the program. Its last arguments are in the files `.defined` and `.profile` beside it. */
  program: string;
}

/** The seatbelt driver with a program in the place of the one of macOS. */
export async function openStandIn(): Promise<StandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-seatbelt-'));
  const program = join(folder, 'sandbox-exec');
  await writeFile(program, PROGRAM);
  await chmod(program, 0o755);
  return {
    driver: createSeatbeltDriver({ platform: 'darwin', program }),
    program,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
