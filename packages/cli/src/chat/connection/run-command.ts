import type { Settings } from '../../compose/load-settings.ts';
import { openSandbox } from '../../compose/open-sandbox.ts';
import type { Terminal } from '../../terminal.ts';
import type { CommandOutput } from './connection.ts';

/** Time after which a command of the person is ended. */
const COMMAND_MS = 10 * 60_000;

/** Runs a command of the person in a sandbox of the session's folder. */
export async function runCommand(
  command: string,
  {
    workspace,
    signal,
    config,
    env,
  }: { workspace: string; signal: AbortSignal } & Pick<Settings, 'config'> & Pick<Terminal, 'env'>,
): Promise<CommandOutput> {
  await using sandbox = await openSandbox(config, { session: { id: 'chat', workspace }, signal, env });
  const decoder = new TextDecoder();
  let text = '';
  const result = await sandbox.exec(command, {
    timeoutMs: COMMAND_MS,
    signal,
    onOutput: (chunk) => {
      text += decoder.decode(chunk, { stream: true });
    },
  });
  return { text: text + decoder.decode(), exitCode: result.exitCode ?? null };
}
