import {
  ANY_MODEL,
  readServerModels,
  SERVER_KINDS,
  type ServerKind,
  type ServerModel,
} from './server-models.ts';

export interface ProbeWindowOptions {
  /** Unknown: every way is tried, in parallel. */
  kind?: ServerKind;
  /** With or without `/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /** Default: the global one. */
  fetch?: typeof fetch;
  signal?: AbortSignal;
  /** For each request. Default 1500. */
  timeoutMs?: number;
}

export interface WindowReport {
  windowTokens: number;
  /** Where it was read: `Ollama /api/ps`. */
  source: string;
}

/**
 * Asks a server for the window it has *loaded* the model with; what the model was trained for is never taken. Undefined when
 * the server does not say, or does not answer, or has not loaded the model. Never throws.
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
