import { fitLine, shortId } from './format.ts';
import { age } from './session-table.ts';

export interface ListedCommand {
  sessionId: string;
  /** Of a command in the background. */
  handle?: string;
  /** `kept`: it outlives its run. `left`: its run has died, and the next run ends it. */
  state: 'running' | 'kept' | 'left';
  command: string;
  startedAt: number;
  sandbox: string;
  pid?: number;
  container?: string;
}

/** The commands that run: session, handle, age, state, command. */
export function processTable(
  commands: readonly ListedCommand[],
  { columns, now }: { columns: number; now: number },
): string {
  if (commands.length === 0) return 'No command of a session runs.\n';
  const lines = commands.map(({ sessionId, handle = '-', state, startedAt, command }) => {
    const start = `${shortId(sessionId)}  ${handle.padEnd(7)}  ${age(now - startedAt).padStart(8)}  ${state.padEnd(7)}  `;
    return start + fitLine(command.split('\n')[0] ?? '', columns - start.length);
  });
  const isKept = commands.some(({ state }) => state === 'kept');
  const hint = isKept ? 'longhaul cancel ID ends the kept commands of a session.\n' : '';
  return `${lines.join('\n')}\n${hint}`;
}
