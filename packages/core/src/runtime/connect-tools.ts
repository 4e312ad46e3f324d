import { computeBudget, countByClasses } from '@longhaul/context/engine';
import type { ConnectedTools } from '../ports/index.ts';
import { storeConnectedTools } from '../session/connected-tools.ts';
import { cancelled, interruptionOf } from '../session/runs/interruption.ts';
import type { RunWork } from '../session/runs/session-runs.ts';
import type { RunAgent, RuntimeOptions } from './runtime-options.ts';

/** The further tools of one run. */
export interface RunTools extends Disposable, Pick<ConnectedTools, 'tools' | 'systemText' | 'readNamed'> {
  /** See `ConnectedTools`. */
  renew?: () => Promise<Pick<ConnectedTools, 'tools' | 'systemText'> | undefined>;
}

/** Connects the session's further tools. Warns of those that cannot be reached. */
export async function connectTools(
  { session, driver, writer, signal }: RunWork,
  { toolConnector, store, blobs }: Pick<RuntimeOptions, 'toolConnector' | 'store' | 'blobs'>,
  agent: RunAgent,
): Promise<RunTools> {
  if (toolConnector === undefined) return { tools: [], [Symbol.dispose]() {} };
  const { allowsTool: allows = () => true, tools: agentTools } = agent;
  const { usableTokens } = computeBudget({ ...driver.info, fixedTokens: 0 });
  const countTokens = countByClasses;
  const connection = { session, agentTools, allows, signal, usableTokens, countTokens };
  const orInterrupted = (error: unknown) => {
    throw signal.aborted ? (interruptionOf(signal) ?? cancelled()) : error;
  };
  const keep = async ({ tools, systemText, warnings }: Omit<ConnectedTools, 'readNamed' | 'release'>) => {
    await storeConnectedTools({ tools, systemText }, { session, store, blobs });
    for (const message of warnings) await writer.announce({ type: 'context:warning', message });
    return { tools, systemText };
  };
  const connected = await toolConnector.connect(connection).catch(orInterrupted);
  const { readNamed, renew, release } = connected;
  return {
    ...(await keep(connected)),
    readNamed,
    ...(renew !== undefined && {
      renew: async () => {
        const renewed = await renew().catch(orInterrupted);
        return renewed && (await keep(renewed));
      },
    }),
    [Symbol.dispose]: () => release?.(),
  };
}
