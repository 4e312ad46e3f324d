import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CompressionStrategy, STRATEGY_NAMES, type Trigger } from '@longhaul/context';
import type { CompressionConfig } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

/** What a module's `createStrategy` is given: `context.compression.options`, and the trigger that the configuration sets, if one. */
export type StrategyModuleOptions = CompressionConfig['options'] & { trigger?: Trigger };

/**
 * One's own strategy, from a JavaScript or TypeScript module: its export `strategy`, what its export `createStrategy` makes of the options, or
 * either as its default export.
 *
 * @param path Absolute, or from the current folder.
 * @throws {LonghaulError} `config_invalid`: the file is missing, cannot be loaded, or exports no strategy.
 */
export async function loadStrategy(
  path: string,
  options: StrategyModuleOptions,
): Promise<CompressionStrategy> {
  const exported = await importModule(path);
  const strategy = await made(path, exported, options);
  const problem = problemOf(strategy);
  if (problem === undefined && isStrategy(strategy)) return withTrigger(strategy, options.trigger);
  throw invalid(path, `its strategy ${problem}`);
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  const file = resolve(path);
  const { stat } = await import('node:fs/promises');
  const info = await stat(file).catch(() => undefined);
  if (info === undefined)
    throw invalid(
      path,
      `there is no such file. A name without a path is one of ${STRATEGY_NAMES.join(', ')}`,
    );
  if (!info.isFile()) throw invalid(path, 'it is no file');
  try {
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    throw invalid(path, `it cannot be loaded: ${messageOf(cause)}`, cause);
  }
}

async function made(
  path: string,
  exported: Record<string, unknown>,
  options: StrategyModuleOptions,
): Promise<unknown> {
  const found = exported['strategy'] ?? exported['createStrategy'] ?? exported['default'];
  if (found === undefined) {
    const names = Object.keys(exported);
    const has = names.length === 0 ? 'nothing' : names.join(', ');
    throw invalid(path, `it must export "strategy", "createStrategy", or a default, and exports ${has}`);
  }
  if (typeof found !== 'function') return found;
  try {
    return await found(options);
  } catch (cause) {
    throw invalid(path, `making its strategy failed: ${messageOf(cause)}`, cause);
  }
}

function isStrategy(value: unknown): value is CompressionStrategy {
  return problemOf(value) === undefined;
}

/** What is wrong with its shape. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null)
    return `is no object with { name, trigger, plan }, but ${value === null ? 'null' : typeof value}`;
  const { name, trigger, plan, validate } = value as Partial<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (typeof plan !== 'function') return 'has no plan function';
  if (validate !== undefined && typeof validate !== 'function') return 'has a validate that is no function';
  if (!isTrigger(trigger))
    return "has no trigger such as { kind: 'overflow' } or { kind: 'threshold', percent: 0.8 }";
  return undefined;
}

function isTrigger(value: unknown): value is Trigger {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, percent } = value as Partial<Record<string, unknown>>;
  if (kind === 'overflow' || kind === 'manual') return true;
  const isShare = typeof percent === 'number' && percent > 0 && percent <= 1;
  return (kind === 'threshold' || kind === 'available') && isShare;
}

/** A strategy that does not read the option is given the trigger all the same. */
function withTrigger(strategy: CompressionStrategy, trigger: Trigger | undefined): CompressionStrategy {
  if (trigger === undefined) return strategy;
  const { validate } = strategy;
  return {
    name: strategy.name,
    trigger,
    plan: (input) => strategy.plan(input),
    ...(validate === undefined
      ? {}
      : { validate: (before, after) => validate.call(strategy, before, after) }),
  };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function invalid(path: string, problem: string, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `context.compression.strategy names ${path}, but ${problem}. docs/own-strategy.md has a complete example.`,
    { cause },
  );
}
