import { LonghaulError } from '@longhaul/protocol';
import type { LlamaModel } from '../library/llama-types.ts';

/** Memory for everything else on the machine. */
const SPARE_BYTES = 512 * 2 ** 20;
/** A coding agent cannot work in less: its own prompt takes about 3,000 tokens. */
const LEAST_TOKENS = 4_096;
const STEP = 1_024;
/** More is slow to read on a processor, and rarely of use to a small model. */
const MOST_TOKENS = 65_536;

export interface FittedWindow {
  windowTokens: number;
  slots: number;
  /** What limits the window, for people. */
  source: string;
}

export interface MemoryToFit {
  freeBytes: number;
  /** What the model itself takes of it. */
  modelBytes: number;
  wanted?: number | undefined;
}

/**
 * Chooses the window from the free memory: the longest that the model was trained for and that fits. A second session
 * at the same time has a window of the same length if both fit.
 *
 * @throws {LonghaulError} `config_invalid` if not even a small window fits.
 */
export async function fitMemory(
  model: LlamaModel,
  { freeBytes, modelBytes, wanted }: MemoryToFit,
): Promise<FittedWindow> {
  const trained = Math.min(model.trainContextSize, MOST_TOKENS);
  const bytesFor = async (contextSize: number, sequences: number) => {
    const { cpuRam, gpuVram } = await model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize,
      sequences,
      modelGpuLayers: model.gpuLayers,
    });
    return cpuRam + gpuVram;
  };
  const usable = freeBytes - modelBytes - SPARE_BYTES;
  const least = Math.min(LEAST_TOKENS, trained);
  if (wanted !== undefined) {
    const windowTokens = Math.min(wanted, model.trainContextSize);
    const slots = (await bytesFor(windowTokens, 2)) <= usable ? 2 : 1;
    return { windowTokens, slots, source: windowTokens < wanted ? 'training of the model' : 'configuration' };
  }
  const leastBytes = await bytesFor(least, 1);
  if (leastBytes > usable) throw tooLarge(modelBytes + leastBytes + SPARE_BYTES, freeBytes);
  let windowTokens = least;
  const longest = await bytesFor(trained, 1);
  if (longest <= usable) windowTokens = trained;
  else {
    // Memory grows with the length in a straight line.
    const perToken = (longest - leastBytes) / Math.max(1, trained - least);
    const fitting = least + (usable - leastBytes) / perToken;
    windowTokens = Math.max(least, Math.floor(fitting / STEP) * STEP);
  }
  const slots = (await bytesFor(windowTokens, 2)) <= usable ? 2 : 1;
  const isTrained = windowTokens === model.trainContextSize;
  const source = isTrained
    ? 'training of the model'
    : windowTokens === MOST_TOKENS
      ? 'most of an embedded model'
      : `free memory of ${gigabytes(freeBytes - modelBytes)}`;
  return { windowTokens, slots, source };
}

/** The error for a model that needs more memory than there is. */
export function tooLarge(neededBytes: number, freeBytes: number): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `The model does not fit into the free memory of this machine: it needs ${gigabytes(neededBytes)}, and ${gigabytes(freeBytes)} are free. Close other programs, or choose a smaller model: longhaul models list --embedded. With embedded.window, Longhaul tries it all the same.`,
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
