import { isAbsolute, join } from 'node:path';
import type { Environment } from './environment.ts';

/** Returns the folder of the user's own configuration, below which trust is stored. */
export function userFolder({ env, home }: { env: Environment; home: string }): string {
  const configured = env['XDG_CONFIG_HOME'];
  const base = configured && isAbsolute(configured) ? configured : join(home, '.config');
  return join(base, 'longhaul');
}
