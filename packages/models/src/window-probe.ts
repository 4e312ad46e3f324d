import {
  ANY_MODEL,
  readOllamaCapabilities,
  readServerModels,
  SERVER_KINDS,
  type ServerKind,
  type ServerModel,
} from './server-models.ts';

export interface ProbeWindowOptions {
  /** Without it, all kinds are tried in parallel. */
  kind?: ServerKind;
  /** With or without `/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  signal?: AbortSignal;
  /** For each request. Default 1500. */
  timeoutMs?: number;
}

export interface WindowReport {
  windowTokens: number;
  /** The endpoint that reported it, such as `Ollama /api/ps`. */
  source: string;
  /** Whether the model accepts images, if the server reports that. */
  acceptsImages?: boolean;
  /** Requests that the server answers at the same time, if it reports that. */
  slots?: number;
}

/**
 * Asks a server for the window of the *loaded* model. The length that the model was trained with is never used.
 * Undefined if the server does not report a window, does not answer, or has not loaded the model. Never throws.
 */
export async function probeWindow(options: ProbeWindowOptions): Promise<WindowReport | undefined> {
  const { baseUrl, model, timeoutMs = 1500 } = options;
  const kinds = options.kind ? [options.kind] : SERVER_KINDS;
  const answers = await Promise.all(
    kinds.map((kind) => readServerModels(kind, baseUrl, { ...options, timeoutMs })),
  );
  for (const [index, models] of answers.entries()) {
    const found = findServerModel(models, model);
    if (found?.windowTokens === undefined) continue;
    const { windowTokens, source, slots } = found;
    const acceptsImages =
      kinds[index] === 'ollama' ? await ollamaAcceptsImages({ ...options, timeoutMs }) : found.acceptsImages;
    return { windowTokens, source, acceptsImages, slots };
  }
  return undefined;
}

async function ollamaAcceptsImages(
  options: ProbeWindowOptions & { timeoutMs: number },
): Promise<boolean | undefined> {
  const capabilities = await readOllamaCapabilities(options.baseUrl, options.model, options);
  return capabilities?.includes('vision');
}

function findServerModel(models: readonly ServerModel[], name: string): ServerModel | undefined {
  return (
    models.find((model) => model.id === name) ??
    models.find((model) => model.aliases?.includes(name)) ??
    models.find((model) => model.id === ANY_MODEL)
  );
}
