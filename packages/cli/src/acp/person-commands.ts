import type { AcpCommand } from '@longhaul/acp';
import type { Config } from '@longhaul/config';
import { ownCommands, unusableCommands } from '../compose/own-commands.ts';
import type { Terminal } from '../terminal.ts';

/** Returns the commands that the person wrote. None replaces a built-in one. Those that cannot be used only say why. */
export async function personCommands(
  builtIn: readonly AcpCommand[],
  { workspace, config, terminal }: { workspace: string; config: Config; terminal: Pick<Terminal, 'env'> },
): Promise<AcpCommand[]> {
  const { commands, problems } = await ownCommands(workspace, config, terminal);
  const usable = commands.map(
    ({ name, hint, description, expand }): AcpCommand => ({
      name,
      hint,
      description,
      run: async (words) => ({ prompt: expand(words) }),
    }),
  );
  return [...usable, ...unusableCommands(problems)].filter(({ name }) =>
    builtIn.every((command) => command.name !== name),
  );
}
