import {
  ANY_MODEL,
  readServerModels,
  SERVER_KINDS,
  type ServerKind,
  type ServerModel,
} from './server-models.ts';

export interface LocalServerCandidate {
  /** The provider's name in the configuration. */
  name: string;
  kind: ServerKind;
  baseUrl: string;
}

export interface LocalServer extends LocalServerCandidate {
  /** Loaded models come first. */
  models: ServerModel[];
}

export interface DetectOptions {
  fetch?: typeof fetch;
  signal?: AbortSignal;
  /** For each request. Default 500. A refused connection fails at once. */
  timeoutMs?: number;
  /** Default: `LOCAL_SERVERS`. */
  candidates?: readonly LocalServerCandidate[];
}

/** The usual ports, in order of preference. */
export const LOCAL_SERVERS: readonly LocalServerCandidate[] = [
  { name: 'lmstudio', kind: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'ollama', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'llamacpp', kind: 'llamacpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'vllm', kind: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1' },
];

/** Finds the servers of local models on this machine that answer and have a model. Never throws. */
export async function detectLocalServers(options: DetectOptions = {}): Promise<LocalServer[]> {
  const { candidates = LOCAL_SERVERS, timeoutMs = 500 } = options;
  const servers = await Promise.all(
    candidates.map(async (candidate) => {
      const models = await readServerModels(candidate.kind, candidate.baseUrl, { ...options, timeoutMs });
      return { ...candidate, models: loadedFirst(models) };
    }),
  );
  return servers.filter((server) => server.models.length > 0);
}

export interface ListServerModelsOptions extends Omit<DetectOptions, 'candidates'> {
  /** Without it, all kinds are tried in parallel, and the most detailed answer is used. */
  kind?: ServerKind;
  apiKey?: string;
}

/** Returns a server's models, loaded models first. The list is empty if the server does not answer. Never throws. */
export async function listServerModels(
  baseUrl: string,
  options: ListServerModelsOptions = {},
): Promise<ServerModel[]> {
  const { kind, timeoutMs = 2000 } = options;
  const kinds = kind === undefined ? SERVER_KINDS : [kind];
  const answers = await Promise.all(
    kinds.map((one) => readServerModels(one, baseUrl, { ...options, timeoutMs })),
  );
  return answers.map(loadedFirst).find((models) => models.length > 0) ?? [];
}

function loadedFirst(models: readonly ServerModel[]): ServerModel[] {
  return models
    .filter((model) => model.id !== ANY_MODEL)
    .sort((left, right) => Number(right.loaded) - Number(left.loaded));
}
