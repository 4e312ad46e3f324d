import type { AcpCommand } from '@longhaul/acp';
import type { Config } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import { ownCommands, problemText } from '../compose/own-commands.ts';
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
  const unusable = problems.map(
    (problem): AcpCommand => ({
      name: problem.name,
      description: problem.problem,
      isUnusable: true,
      async run() {
        throw new LonghaulError('usage', problemText(problem));
      },
    }),
  );
  return [...usable, ...unusable].filter(({ name }) => builtIn.every((command) => command.name !== name));
}
