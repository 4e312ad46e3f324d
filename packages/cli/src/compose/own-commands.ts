import { type Config, type LoadedCommands, loadCommands } from '@longhaul/config';
import type { Terminal } from '../terminal.ts';
import { homeOf } from './load-settings.ts';
import { trustedIds } from './trusted-ids.ts';

/** Reads the commands that a person wrote, with those of the workspace that are trusted. */
export async function ownCommands(
  workspace: string,
  config: Config,
  { env }: Pick<Terminal, 'env'>,
): Promise<LoadedCommands> {
  const place = { workspace, home: homeOf({ env }), env, claude: config.compat.claude };
  return await loadCommands(place, () => trustedIds(workspace, config, { env }));
}

/** Says why a file is not a usable command. */
export function problemText({ name, path, problem }: LoadedCommands['problems'][number]): string {
  return `/${name} cannot be used: ${path} ${problem}`;
}
