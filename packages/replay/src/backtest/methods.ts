import type { Summarise } from '@longhaul/context/engine';
import { BASELINES } from './baselines/all.ts';
import { engineMethod } from './engine-method.ts';
import type { ReplayMethod } from './method.ts';
import { createStrategy, isStrategyPath, loadStrategy } from './strategies.ts';
import { commandMethod, commandOf } from './view-command/command-method.ts';

export function baselineNames(): string[] {
  return BASELINES.map((baseline) => baseline.name);
}

/**
 * Returns the method with this name: a simple method, or a strategy of the engine.
 *
 * @throws {LonghaulError} `usage` if the name is unknown.
 */
export function createMethod(name: string, summarise?: Summarise): ReplayMethod {
  const baseline = BASELINES.find((candidate) => candidate.name === name);
  if (baseline !== undefined) return baseline;
  createStrategy(name);
  return engineMethod(name, { createStrategy: () => createStrategy(name), summarise });
}

/**
 * Like `createMethod`, but also loads a custom strategy from the path of its module, or runs a command.
 *
 * @throws {LonghaulError} `usage` if the name is unknown, or the module cannot be loaded or exports no strategy.
 */
export async function loadMethod(name: string, summarise?: Summarise): Promise<ReplayMethod> {
  const command = commandOf(name);
  if (command !== undefined) return commandMethod(command);
  if (!isStrategyPath(name)) return createMethod(name, summarise);
  const strategy = await loadStrategy(name);
  return engineMethod(name, {
    createStrategy: () => strategy,
    summarise,
  });
}
