import { type Config, loadConfig } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { Terminal } from '../terminal.ts';
import { homeOf } from './load-settings.ts';

/** Returns the ids of what is trusted in a workspace: what is stored now, and what was trusted for this command. */
export async function trustedIds(
  workspace: string,
  config: Config,
  user: Pick<Terminal, 'env'>,
): Promise<ReadonlySet<string>> {
  return new Set([...(config.project?.trusted ?? []), ...(await storedTrust(workspace, user))]);
}

/** A session can be in another workspace than the configuration. What cannot be read is not trusted. */
async function storedTrust(cwd: string, { env }: Pick<Terminal, 'env'>): Promise<ReadonlySet<string>> {
  try {
    return (await loadConfig({ cwd, env, home: homeOf({ env }) })).config.project?.trusted ?? new Set();
  } catch (error) {
    if (error instanceof LonghaulError) return new Set();
    throw error;
  }
}
