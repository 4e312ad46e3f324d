import type { AvailableCommand } from '@agentclientprotocol/sdk';

/** Returns the commands that a prompt can begin with, for the client's list. */
export function availableCommands(): AvailableCommand[] {
  return [];
}
