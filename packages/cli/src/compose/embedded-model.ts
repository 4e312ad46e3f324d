import { DEFAULT_EMBEDDED, type EmbeddedSettings, type ResolvedModel } from '@longhaul/config';
import type { EmbeddedModel } from '@longhaul/embedded';

/** A model that runs inside Longhaul. */
export type EmbeddedResolved = ResolvedModel & { embedded: EmbeddedSettings };

export function isEmbedded(model: ResolvedModel): model is EmbeddedResolved {
  return model.embedded !== undefined;
}

/**
 * Connects to the process of a model that runs inside Longhaul. The process starts with the first request.
 *
 * @throws {LonghaulError} `config_invalid` if there is no such model or no library to run it, with what to do.
 */
export async function openEmbeddedModel(model: EmbeddedResolved): Promise<EmbeddedModel> {
  const { connectEmbeddedModel, findModelFile } = await import('@longhaul/embedded');
  const { folder, env, window, idleMinutes, stateGb, gpu } = model.embedded;
  return await connectEmbeddedModel({
    path: await findModelFile(model.model === DEFAULT_EMBEDDED ? undefined : model.model, {
      folder,
      freeBytes: process.availableMemory(),
    }),
    folder,
    env,
    windowTokens: window ?? model.windowTokens,
    idleMs: idleMinutes * 60_000,
    stateBytes: stateGb * 1e9,
    gpu,
  });
}
