import {
  ANY_MODEL,
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
  for (const models of answers) {
    const found = findServerModel(models, model);
    if (found?.windowTokens !== undefined) {
      return { windowTokens: found.windowTokens, source: found.source };
    }
  }
  return undefined;
}

function findServerModel(models: readonly ServerModel[], name: string): ServerModel | undefined {
  return (
    models.find((model) => model.id === name) ??
    models.find((model) => model.aliases?.includes(name)) ??
    models.find((model) => model.id === ANY_MODEL)
  );
}
