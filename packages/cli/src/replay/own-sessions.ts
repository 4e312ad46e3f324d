import { homedir } from 'node:os';
import { findOwnSessions, type OwnSessions } from '@longhaul/replay';
import { plural, printable } from '../render/format.ts';
import type { Terminal } from '../terminal.ts';

/** Sessions that are measured if no path is given. */
const NEWEST = 30;

/**
 * Finds the recorded sessions of coding agents on this machine, reports them on standard error, and returns the paths of
 * the newest.
 */
export async function newestOwnSessions(terminal: Terminal): Promise<string[]> {
  const found = await findOwnSessions({ env: terminal.env, home: terminal.env['HOME'] || homedir() });
  for (const { path, message } of found.problems)
    terminal.err.write(`${printable(path)}: ${printable(message)}\n`);
  terminal.err.write(`${describe(found)}\n`);
  return found.sessions.slice(0, NEWEST).map(({ path }) => path);
}

function describe({ sessions, places }: OwnSessions): string {
  if (sessions.length === 0) {
    const folders = places.map(({ agent, folder }) => `  ${agent}: ${printable(folder)}`);
    return [
      'No recorded session was found on this machine. Searched:',
      ...folders,
      'Name files or folders of sessions.',
    ].join('\n');
  }
  const agents = [...new Set(sessions.map(({ agent }) => agent))];
  const counts = agents.map(
    (agent) => `${agent} ${sessions.filter((session) => session.agent === agent).length}`,
  );
  const measured = sessions.length > NEWEST ? `The newest ${NEWEST} are replayed.` : 'All are replayed.';
  return `Found ${plural(sessions.length, 'recorded session')} on this machine: ${counts.join(', ')}. ${measured}`;
}
