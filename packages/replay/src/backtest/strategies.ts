import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CompressionStrategy,
  createStrategy as createOwn,
  DEFAULT_LEDGER_SHARE,
  isStrategyName,
  PRUNE_MINIMUM,
  PRUNE_PROTECT,
  RECENT_MESSAGES_TO_KEEP,
  STRATEGY_NAMES,
  strategyFromModule,
} from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';

/** Returns the names of the engine's strategies, without those that need a provider: a replay has none. */
export function strategyNames(): string[] {
  return STRATEGY_NAMES.filter((name) => createOwn(name).usesProvider !== true);
}

/**
 * Creates a strategy for one replay, with the agent's default options.
 *
 * @throws {LonghaulError} `usage` if the name is unknown.
 */
export function createStrategy(name: string): CompressionStrategy {
  if (isStrategyName(name)) return createOwn(name);
  throw new LonghaulError(
    'usage',
    `Unknown strategy "${name}". Known strategies: ${strategyNames().join(', ')}.`,
  );
}

/** Whether a name is the path of a module. */
export function isStrategyPath(name: string): boolean {
  return /^[./~]/.test(name) || /\.[cm]?[jt]s$/.test(name);
}

/** The agent's default options. */
const MODULE_OPTIONS = {
  preserveLastNTurns: 2,
  recentMessagesToKeep: RECENT_MESSAGES_TO_KEEP,
  pruneProtectTokens: PRUNE_PROTECT,
  pruneMinimumTokens: PRUNE_MINIMUM,
  ledgerShare: DEFAULT_LEDGER_SHARE,
};

/** @throws {LonghaulError} `usage` if the module cannot be loaded or exports no strategy. */
export async function loadStrategy(path: string): Promise<CompressionStrategy> {
  const exported = await import(pathToFileURL(resolve(path)).href).catch((cause: Error) => {
    throw new LonghaulError('usage', `The strategy ${path} cannot be loaded: ${cause.message}`, { cause });
  });
  const made = await strategyFromModule(exported, MODULE_OPTIONS);
  if (made.status === 'strategy') return made.strategy;
  throw new LonghaulError('usage', `The strategy ${path} cannot be used: ${made.problem}.`);
}
