import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AcpWorkspace } from '../acp-options.ts';

/** Reports the commands of a session when they have changed. */
export class CommandsUpdate {
  readonly #workspace: Pick<AcpWorkspace, 'commands' | 'offeredCommands'>;
  readonly #sessionId: string;
  #reported = '';

  constructor(sessionId: string, workspace: Pick<AcpWorkspace, 'commands' | 'offeredCommands'>) {
    this.#sessionId = sessionId;
    this.#workspace = workspace;
  }

  /** @param options.isOpened The client has opened the session, and gets all commands. */
  async next({ isOpened }: { isOpened: boolean }): Promise<SessionUpdate[]> {
    const commands = [
      ...(await this.#workspace.commands()).filter(({ isUnusable }) => isUnusable !== true),
      ...(await this.#workspace.offeredCommands(this.#sessionId)),
    ];
    const availableCommands = commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== undefined && hint !== '' && { input: { hint } }),
    }));
    const written = JSON.stringify(availableCommands);
    if (!isOpened && written === this.#reported) return [];
    this.#reported = written;
    return [{ sessionUpdate: 'available_commands_update', availableCommands }];
  }
}
