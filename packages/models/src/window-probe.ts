import {
  ANY_MODEL,
  readOllamaModel,
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

export type ModelReport = Omit<WindowReport, 'windowTokens'> & { windowTokens?: number | undefined };

/**
 * Asks a server for the window of the *loaded* model. The length that the model was trained with is never used.
 * Undefined if the server does not report a window, does not answer, or has not loaded the model. Never throws.
 */
export async function probeWindow(options: ProbeWindowOptions): Promise<WindowReport | undefined> {
  const report = await probeModel(options);
  return report?.windowTokens === undefined ? undefined : { ...report, windowTokens: report.windowTokens };
}

/**
 * As `probeWindow`, but also reports the images of a model that is not loaded yet, without its window. A server that
 * reports the window takes precedence over one that does not.
 */
export async function probeModel(options: ProbeWindowOptions): Promise<ModelReport | undefined> {
  const { baseUrl, model, timeoutMs = 1500 } = options;
  const kinds = options.kind ? [options.kind] : SERVER_KINDS;
  const answers = await Promise.all(
    kinds.map((kind) => readServerModels(kind, baseUrl, { ...options, timeoutMs })),
  );
  const found = answers.flatMap((models, index) => {
    const report = findServerModel(models, model);
    return report === undefined ? [] : [{ kind: kinds[index], ...report }];
  });
  const best = found.find(({ windowTokens }) => windowTokens !== undefined) ?? found[0];
  if (best === undefined) return undefined;
  const { windowTokens, source, slots } = best;
  const acceptsImages =
    best.kind === 'ollama'
      ? (await readOllamaModel(baseUrl, model, { ...options, timeoutMs })).acceptsImages
      : best.acceptsImages;
  return { windowTokens, source, acceptsImages, slots };
}

function findServerModel(models: readonly ServerModel[], name: string): ServerModel | undefined {
  return (
    models.find((model) => model.id === name) ??
    models.find((model) => model.aliases?.includes(name)) ??
    models.find((model) => model.id === ANY_MODEL)
  );
}
