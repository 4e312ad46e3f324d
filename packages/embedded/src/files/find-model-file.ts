import { isAbsolute } from 'node:path';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import { CODER_MODELS, fittingModel, neededBytes } from './coder-models.ts';
import { pulledModel, pulledModels } from './model-folder.ts';

export interface FindModelOptions {
  /** The folder of the embedded models. */
  folder: string;
  freeBytes: number;
}

/**
 * Returns the file of a model: the path itself, or the file that was fetched under this name. `undefined` names the
 * model that fits this machine.
 *
 * @throws {LonghaulError} `config_invalid` if it was not fetched, with the command that does it; `unknown_model`.
 */
export async function findModelFile(
  name: string | undefined,
  { folder, freeBytes }: FindModelOptions,
): Promise<string> {
  if (name !== undefined && (isAbsolute(name) || /\.gguf$/i.test(name))) return name;
  const wanted = name ?? (await fittingName(folder, freeBytes));
  const pulled = await pulledModel(folder, wanted);
  if (pulled !== undefined) return pulled.path;
  const listed = CODER_MODELS.find((model) => model.name === wanted);
  if (listed === undefined) throw await unknownModel(wanted, folder);
  const size = (listed.bytes / 1e9).toFixed(1);
  throw new LonghaulError(
    'config_invalid',
    `The embedded model ${wanted} is not on this machine. Fetch it once (${size} GB): longhaul models pull ${wanted}. To use a file that you have: --model embedded:PATH.gguf.`,
    { data: { model: wanted } },
  );
}

/** The largest that was fetched and fits, or else the one to fetch. */
async function fittingName(folder: string, freeBytes: number): Promise<string> {
  const pulled = await pulledModels(folder);
  const fits = ({ name, bytes }: { name: string; bytes: number }) => {
    const listed = CODER_MODELS.find((model) => model.name === name);
    return (listed === undefined ? bytes : neededBytes(listed)) <= freeBytes;
  };
  const [largest] = pulled.filter(fits).sort((left, right) => right.bytes - left.bytes);
  return largest?.name ?? pulled[0]?.name ?? fittingModel(freeBytes)?.name ?? 'qwen3-4b';
}

async function unknownModel(name: string, folder: string): Promise<LonghaulError> {
  const pulled = (await pulledModels(folder)).map((model) => model.name);
  const known = [...new Set([...pulled, ...CODER_MODELS.map((model) => model.name)])];
  return new LonghaulError(
    'unknown_model',
    `No embedded model is called "${name}".${suggestion(name, known)} Known: ${known.join(', ')}. A file of yours: --model embedded:PATH.gguf. See longhaul models list --embedded.`,
    { data: { model: name, known } },
  );
}
