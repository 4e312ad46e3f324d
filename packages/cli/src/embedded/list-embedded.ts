import { CODER_MODELS, type CoderModel, fittingModel, neededBytes, pulledModels } from '@longhaul/embedded';

export interface ListedModel extends Omit<CoderModel, 'bytesPerToken'> {
  neededBytes: number;
  isPulled: boolean;
  /** Whether its memory is free now. */
  fits: boolean;
  /** Whether `embedded` alone means it, if nothing else was fetched. */
  isDefault: boolean;
}

/** Returns the models of the list, with what this machine has of them. */
export async function listEmbedded(
  folder: string,
  freeBytes: number = process.availableMemory(),
): Promise<ListedModel[]> {
  const pulled = new Set((await pulledModels(folder)).map(({ name }) => name));
  const best = fittingModel(freeBytes);
  return CODER_MODELS.map((model) => {
    const { bytesPerToken: _, ...shown } = model;
    const needed = neededBytes(model);
    return {
      ...shown,
      neededBytes: needed,
      isPulled: pulled.has(model.name),
      fits: needed <= freeBytes,
      isDefault: model === best,
    };
  });
}
