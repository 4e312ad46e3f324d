import { countAt, type FetchJsonOptions, fetchJson, isRecord, recordsAt, textAt } from './fetch-json.ts';

/** Servers of local models with more information than the OpenAI interface has. */
export type ServerKind = 'lmstudio' | 'ollama' | 'llamacpp' | 'vllm';

export interface ServerModel {
  id: string;
  /** Whether the model is in memory, if the server reports that. */
  loaded: boolean;
  /** Window of the loaded instance. Absent if the model is not loaded, or if the server does not report it. */
  windowTokens?: number;
  /** The endpoint that reports it, such as `LM Studio /api/v1/models`. */
  source: string;
  /** Other names of the model in requests. */
  aliases?: string[];
  /** Whether the model accepts images, if the server reports that. */
  acceptsImages?: boolean;
  /** Requests that the server answers at the same time, if it reports that. They can share the memory of one window. */
  slots?: number;
}

export type ServerRequest = Omit<FetchJsonOptions, 'body'>;

/** From the most detailed answer to the least: every server has `/v1/models`. */
export const SERVER_KINDS: readonly ServerKind[] = ['lmstudio', 'ollama', 'llamacpp', 'vllm'];

/**
 * Asks one kind of server for its models. The list is empty if there is no answer, or the answer of another kind. Never
 * throws.
 */
export function readServerModels(
  kind: ServerKind,
  baseUrl: string,
  request: ServerRequest,
): Promise<ServerModel[]> {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  return READERS[kind]((path, body) => fetchJson(`${root}${path}`, { ...request, body }));
}

type Ask = (path: string, body?: unknown) => Promise<unknown>;

const READERS: Readonly<Record<ServerKind, (ask: Ask) => Promise<ServerModel[]>>> = {
  lmstudio: readLmStudio,
  ollama: readOllama,
  llamacpp: readLlamaCpp,
  vllm: readVllm,
};

async function readLmStudio(ask: Ask): Promise<ServerModel[]> {
  const current = recordsAt(await ask('/api/v1/models'), 'models');
  if (current.length > 0) return current.flatMap(lmStudioModel);
  // Before LM Studio 0.4. `max_context_length` is the model's limit, not the loaded window.
  return recordsAt(await ask('/api/v0/models'), 'data').flatMap((entry) => {
    const id = textAt(entry, 'id');
    if (!id || textAt(entry, 'type') === 'embeddings') return [];
    const loaded = textAt(entry, 'state') === 'loaded';
    const model = serverModel(
      id,
      loaded,
      countAt(entry, 'loaded_context_length'),
      'LM Studio /api/v0/models',
    );
    return [{ ...model, acceptsImages: textAt(entry, 'type') === 'vlm' }];
  });
}

function lmStudioModel(entry: Record<string, unknown>): ServerModel[] {
  const id = textAt(entry, 'key') ?? textAt(entry, 'id');
  if (!id || textAt(entry, 'type') === 'embedding') return [];
  const instances = recordsAt(entry, 'loaded_instances');
  const source = 'LM Studio /api/v1/models';
  const { capabilities, type } = entry;
  const vision = isRecord(capabilities) ? capabilities['vision'] : undefined;
  const acceptsImages = type === 'vlm' ? true : typeof vision === 'boolean' ? vision : undefined;
  const first = instances[0];
  const whole = {
    ...serverModel(id, first !== undefined, countAt(first?.['config'], 'context_length'), source),
    aliases: [textAt(entry, 'selected_variant')].filter((name) => name !== undefined),
    acceptsImages,
    slots: countAt(first?.['config'], 'parallel'),
  };
  // A second instance has its own name and window.
  const others = instances.flatMap((instance) => {
    const name = textAt(instance, 'id');
    const length = countAt(instance['config'], 'context_length');
    return name && name !== id
      ? [
          {
            ...serverModel(name, true, length, source),
            acceptsImages,
            slots: countAt(instance['config'], 'parallel'),
          },
        ]
      : [];
  });
  return [whole, ...others];
}

async function readOllama(ask: Ask): Promise<ServerModel[]> {
  const [running, pulled] = await Promise.all([ask('/api/ps'), ask('/api/tags')]);
  const loaded = recordsAt(running, 'models').flatMap((entry) => {
    const id = textAt(entry, 'model') ?? textAt(entry, 'name');
    return id ? [serverModel(id, true, countAt(entry, 'context_length'), 'Ollama /api/ps')] : [];
  });
  const known = new Set(loaded.map((model) => model.id));
  const idle = recordsAt(pulled, 'models').flatMap((entry) => {
    const id = textAt(entry, 'model') ?? textAt(entry, 'name');
    return id && !known.has(id) ? [serverModel(id, false, undefined, 'Ollama /api/tags')] : [];
  });
  // `llama3` and `llama3:latest` are the same model.
  return [...loaded, ...idle].map((model) =>
    model.id.endsWith(':latest') ? { ...model, aliases: [model.id.slice(0, -':latest'.length)] } : model,
  );
}

async function readLlamaCpp(ask: Ask): Promise<ServerModel[]> {
  const [props, list] = await Promise.all([ask('/props'), ask('/v1/models')]);
  const settings = isRecord(props) ? props['default_generation_settings'] : undefined;
  if (!isRecord(settings)) return [];
  // The limit of one slot. `meta.n_ctx_train` in /v1/models is the length that the model was trained with.
  const windowTokens = countAt(settings, 'n_ctx');
  const ids = recordsAt(list, 'data').flatMap((entry) => textAt(entry, 'id') ?? []);
  const modalities = isRecord(props) ? props['modalities'] : undefined;
  const vision = isRecord(modalities) ? modalities['vision'] : undefined;
  const acceptsImages = typeof vision === 'boolean' ? vision : undefined;
  // The server has one model and accepts any name.
  return [...ids, ANY_MODEL].map((id) => ({
    ...serverModel(id, true, windowTokens, 'llama.cpp /props'),
    acceptsImages,
    slots: countAt(props, 'total_slots'),
  }));
}

async function readVllm(ask: Ask): Promise<ServerModel[]> {
  return recordsAt(await ask('/v1/models'), 'data').flatMap((entry) => {
    const id = textAt(entry, 'id');
    const windowTokens = countAt(entry, 'max_model_len');
    // vLLM lists its loaded model with its length. Other servers list models that they could load.
    return id ? [serverModel(id, windowTokens !== undefined, windowTokens, 'vLLM /v1/models')] : [];
  });
}

/**
 * Returns what Ollama reports about a model. Its capabilities, such as `tools` and `vision`, are missing before 0.6.4.
 * These versions name the part of the model that reads images.
 */
export async function readOllamaModel(
  baseUrl: string,
  model: string,
  request: ServerRequest,
): Promise<{ capabilities?: unknown[]; acceptsImages?: boolean }> {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const shown = await fetchJson(`${root}/api/show`, { ...request, body: { model } });
  if (!isRecord(shown)) return {};
  const { capabilities, details } = shown;
  if (Array.isArray(capabilities)) return { capabilities, acceptsImages: capabilities.includes('vision') };
  const families = isRecord(details) ? details['families'] : undefined;
  const readsImages = Array.isArray(families) && families.some((family) => IMAGE_READERS.has(family));
  return readsImages || isRecord(shown['projector_info']) ? { acceptsImages: true } : {};
}

/** Parts of Llava and of Llama 3.2 Vision. */
const IMAGE_READERS: ReadonlySet<unknown> = new Set(['clip', 'mllama']);

/** An entry for every name. */
export const ANY_MODEL = '*';

function serverModel(
  id: string,
  loaded: boolean,
  windowTokens: number | undefined,
  source: string,
): ServerModel {
  return { id, loaded, source, windowTokens: loaded ? windowTokens : undefined };
}
