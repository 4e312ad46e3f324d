import { hostname } from 'node:os';
import type { Config } from '@longhaul/config';

/** Server names of pg-boss may contain these only. */
const UNUSUAL = /[^\w.-]/g;

/** Returns the name of this machine in a cluster. */
export function machineName({ machine }: Pick<Config['cluster'], 'machine'>): string {
  return machine ?? hostname().replaceAll(UNUSUAL, '-');
}
