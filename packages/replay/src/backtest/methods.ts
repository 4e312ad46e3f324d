import type { Summarise } from '@longhaul/context';
import { BASELINES } from './baselines/all.ts';
import { engineMethod } from './engine-method.ts';
import type { ReplayMethod } from './method.ts';
import { createStrategy, isStrategyPath, loadStrategy } from './strategies.ts';

export function baselineNames(): string[] {
  return BASELINES.map((baseline) => baseline.name);
}

/**
 * The method of this name: a simple one to compare the engine with, or a strategy of the engine.
 *
 * @throws {LonghaulError} `usage` if there is none.
 */
export function createMethod(name: string, summarise?: Summarise): ReplayMethod {
  const baseline = BASELINES.find((candidate) => candidate.name === name);
  if (baseline !== undefined) return baseline;
  createStrategy(name);
  const options = { createStrategy: () => createStrategy(name) };
  return engineMethod(name, summarise === undefined ? options : { ...options, summarise });
}

/**
 * As `createMethod`, and one's own strategy by the path of its module.
 *
 * @throws {LonghaulError} `usage` if there is none, or the module has none.
 */
export async function loadMethod(name: string, summarise?: Summarise): Promise<ReplayMethod> {
  if (!isStrategyPath(name)) return createMethod(name, summarise);
  const strategy = await loadStrategy(name);
  return engineMethod(name, {
    createStrategy: () => strategy,
    summarise,
  });
}
