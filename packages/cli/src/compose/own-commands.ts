import { type Config, type LoadedCommands, loadCommands } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
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

/** Returns commands for the files that are no usable ones: they only say why. */
export function unusableCommands(problems: LoadedCommands['problems']) {
  return problems.map(({ name, path, problem }) => ({
    name,
    description: problem,
    isUnusable: true,
    async run(): Promise<never> {
      throw new LonghaulError('usage', `/${name} cannot be used: ${path} ${problem}`);
    },
  }));
}
