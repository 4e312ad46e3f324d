import { listServerModels } from '@longhaul/models';
import { askServer } from './ask-server.ts';
import type { Upstream } from './upstream.ts';

/** A large model on a slow disk. */
const LOAD_TIMEOUT_MS = 300_000;

/**
 * Ollama tells a model's window only once it is loaded, and cuts a prompt silently that is longer: so the model is loaded before a long
 * request, which would load it anyway. Source: Ollama API, "Load a model". Returns whether there was anything to load.
 */
export async function loadIfIdle(
  upstream: Upstream,
  { model, apiKey, signal }: { model: string; apiKey: string | undefined; signal: AbortSignal },
): Promise<boolean> {
  const { baseUrl, askTimeoutMs: timeoutMs } = upstream;
  const key = apiKey === undefined ? {} : { apiKey };
  const patience = timeoutMs === undefined ? {} : { timeoutMs };
  const models = await listServerModels(baseUrl, { kind: 'ollama', signal, ...key, ...patience });
  const found = models.find(({ id, aliases }) => id === model || aliases?.includes(model));
  if (found === undefined || found.loaded) return false;
  await askServer(upstream, '/api/generate', { body: { model }, apiKey, signal, timeoutMs: LOAD_TIMEOUT_MS });
  return true;
}
