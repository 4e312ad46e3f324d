import { listServerModels } from '@longhaul/models';
import { askServer } from './ask-server.ts';
import type { Upstream } from './upstream.ts';

/** Enough for a large model on a slow disk. */
const LOAD_TIMEOUT_MS = 300_000;

/**
 * Loads a model into Ollama if the server lists it and has not loaded it. Returns whether it started a load.
 *
 * Ollama reports a model's window only while the model is loaded, and silently cuts a longer prompt. So the gateway
 * loads the model before a long request, which would load it anyway. Source: Ollama API, "Load a model".
 */
export async function loadIfIdle(
  upstream: Upstream,
  { model, apiKey, signal }: { model: string; apiKey: string | undefined; signal: AbortSignal },
): Promise<boolean> {
  const { baseUrl, askTimeoutMs: timeoutMs } = upstream;
  const models = await listServerModels(baseUrl, { kind: 'ollama', signal, apiKey, timeoutMs });
  const found = models.find(({ id, aliases }) => id === model || aliases?.includes(model));
  if (found === undefined || found.loaded) return false;
  await askServer(upstream, '/api/generate', { body: { model }, apiKey, signal, timeoutMs: LOAD_TIMEOUT_MS });
  return true;
}
