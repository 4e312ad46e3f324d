import type { Terminal } from '../terminal.ts';

/** What the commands for embedded models share. */
export interface EmbeddedCommand {
  json: boolean;
  terminal: Terminal;
}
