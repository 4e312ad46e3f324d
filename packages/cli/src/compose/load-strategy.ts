import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CompressionConfig, TrustedFiles } from '@longhaul/config';
import {
  type CompressionStrategy,
  STRATEGY_NAMES,
  strategyFromModule,
  type Trigger,
} from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';
import { guardProject } from './guard-project.ts';

/** The argument of a module's `createStrategy`: `context.compression.options` and the configured trigger, if any. */
export type StrategyModuleOptions = CompressionConfig['options'] & { trigger?: Trigger };

/**
 * Loads a strategy from a JavaScript or TypeScript module.
 *
 * @param path Absolute, or relative to the current folder.
 * @param files The trusted files of the project. A module among them runs with the bytes that were trusted, and can load
 * nothing else from the project.
 * @throws {LonghaulError} `config_invalid`: the file is missing, cannot be loaded, or exports no strategy.
 */
export async function loadStrategy(
  path: string,
  options: StrategyModuleOptions,
  files?: TrustedFiles,
): Promise<CompressionStrategy> {
  const made = await strategyFromModule(await importModule(path, files), options, options.trigger);
  if (made.status === 'none') throw invalid(path, made.problem);
  return made.strategy;
}

async function importModule(path: string, files: TrustedFiles | undefined): Promise<Record<string, unknown>> {
  const file = resolve(path);
  if (files?.bytesOf(file) !== undefined) guardProject(files);
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalid(path, `it cannot be loaded: ${reason}`, cause);
  }
}

function invalid(path: string, problem: string, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `context.compression.strategy names ${path}, but ${problem}. docs/own-strategy.md has a complete example.`,
    { cause },
  );
}
