import { mkdir } from 'node:fs/promises';
import { untilAborted } from '@longhaul/core';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import { loadLibrary } from '../library/load-library.ts';
import { CODER_MODELS } from './coder-models.ts';
import { folderOfModel, type PulledModel, pulledModel, removeModel } from './model-folder.ts';
import { type Checked, checkPublished } from './published-checksum.ts';

export interface PullOptions {
  /** The folder of the embedded models. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
  onProgress(progress: { totalSize: number; downloadedSize: number }): void;
}

export interface Pulled extends PulledModel {
  checksum: Checked;
}

/**
 * Fetches a model of the list, or one that an address names (`hf:USER/REPOSITORY:QUANTISATION` or a URL). What an
 * interrupted fetch has already written is used by the next one.
 *
 * @throws {LonghaulError} `unknown_model`; `cancelled`; `config_invalid` without the library; `server_unreachable` with where to
 * place the file; `provider_bad_response` for a file with another checksum, which is deleted.
 */
export async function pullModel(name: string, options: PullOptions): Promise<Pulled> {
  const { folder, signal, env } = options;
  const source = sourceOf(name);
  const directory = folderOfModel(folder, source.name);
  const { llama } = await loadLibrary(folder);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  let path: string;
  try {
    const fetched = llama.resolveModelFile(source.uri, {
      directory,
      cli: false,
      deleteTempFileOnCancel: false,
      signal,
      onProgress: options.onProgress,
    });
    // With a server that sends nothing, the library does not notice the abort.
    path = await (signal === undefined ? fetched : untilAborted(fetched, signal));
  } catch (cause) {
    if (signal?.aborted === true) throw interrupted(source, cause);
    throw notFetched(source, directory, cause);
  }
  const endpoint = (env['MODEL_ENDPOINT'] ?? env['HF_ENDPOINT'] ?? 'https://huggingface.co/').replace(
    /\/*$/,
    '/',
  );
  const checksum = await checkPublished(path, source.uri, { endpoint, fetch: globalThis.fetch, signal });
  const pulled = await pulledModel(folder, source.name);
  if (checksum !== 'differs' && pulled !== undefined) return { ...pulled, checksum };
  await removeModel(folder, source.name);
  throw new LonghaulError(
    'provider_bad_response',
    `The file of ${source.name} differs from the checksum that its publisher lists, so it was deleted. Fetch it again.`,
  );
}

interface Source {
  name: string;
  uri: string;
}

function sourceOf(name: string): Source {
  const listed = CODER_MODELS.find((model) => model.name === name);
  if (listed !== undefined) return listed;
  if (/^(?:hf:|https?:\/\/)/.test(name)) return { name: nameOf(name), uri: name };
  const names = CODER_MODELS.map((model) => model.name);
  throw new LonghaulError(
    'unknown_model',
    `No embedded model is called "${name}".${suggestion(name, names)} Known: ${names.join(', ')}. Any other: hf:USER/REPOSITORY:QUANTISATION, or the URL of a GGUF file.`,
  );
}

/** A short name that is valid as the name of a folder: the last part of the address. */
function nameOf(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  return (
    last
      .replace(/\.gguf$/i, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replace(/^[.-]+/, '') || 'model'
  );
}

function interrupted({ name }: Source, cause: unknown): LonghaulError {
  return new LonghaulError(
    'cancelled',
    `Fetching ${name} was interrupted. What was fetched is kept: the same command fetches the rest.`,
    { cause },
  );
}

function notFetched({ name, uri }: Source, directory: string, cause: unknown): LonghaulError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LonghaulError(
    'server_unreachable',
    `The model ${name} could not be fetched from ${uri}: ${why}. Without a network, fetch the GGUF file on another machine, and place it in ${directory}.`,
    { cause },
  );
}
