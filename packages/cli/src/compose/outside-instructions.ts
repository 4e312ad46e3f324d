import { userFolder } from '@longhaul/config';
import { readOutsideInstructions } from '@longhaul/core';
import type { Terminal } from '../terminal.ts';
import { homeOf } from './load-settings.ts';

/** Reads the user's own instructions, and those above a workspace. */
export function outsideInstructions({ env }: Pick<Terminal, 'env'>) {
  const home = homeOf({ env });
  return {
    outsideInstructions: (workspace: string) =>
      readOutsideInstructions({ workspace, home, userFolder: userFolder({ env, home }) }),
  };
}
