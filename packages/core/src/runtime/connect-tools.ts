import { computeBudget, countByClasses } from '@longhaul/context';
import type { ConnectedTools } from '../ports/index.ts';
import { storeConnectedTools } from '../session/connected-tools.ts';
import { cancelled, interruptionOf } from '../session/runs/interruption.ts';
import type { RunWork } from '../session/runs/session-runs.ts';
import type { RunAgent, RuntimeOptions } from './runtime-options.ts';

/** Connects the session's further tools. Warns of those that cannot be reached. */
export async function connectTools(
  { session, driver, writer, signal }: RunWork,
  { toolConnector, store, blobs }: Pick<RuntimeOptions, 'toolConnector' | 'store' | 'blobs'>,
  agent: RunAgent,
): Promise<Disposable & Pick<ConnectedTools, 'tools' | 'systemText' | 'readNamed'>> {
  if (toolConnector === undefined) return { tools: [], [Symbol.dispose]() {} };
  const { allowsTool: allows = () => true, tools: agentTools } = agent;
  const { usableTokens } = computeBudget({ ...driver.info, fixedTokens: 0 });
  const countTokens = countByClasses;
  const connection = { session, agentTools, allows, signal, usableTokens, countTokens };
  const { tools, systemText, warnings, readNamed, release } = await toolConnector
    .connect(connection)
    .catch((error: unknown) => {
      throw signal.aborted ? (interruptionOf(signal) ?? cancelled()) : error;
    });
  await storeConnectedTools({ tools, systemText }, { session, store, blobs });
  for (const message of warnings) await writer.announce({ type: 'context:warning', message });
  return { tools, systemText, readNamed, [Symbol.dispose]: () => release?.() };
}
