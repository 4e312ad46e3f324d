import type { LocalServer } from '@longhaul/models';
import { LonghaulError, suggestion } from '@longhaul/protocol';

const SHOWN = 8;

/**
 * Returns `server/model` for the name of a model that exactly one server on this machine has. A name without a tag is
 * Ollama's `latest`.
 *
 * @throws {LonghaulError} `unknown_model` if none or several have it: the message of `unknown`, and the models of local
 * servers.
 */
export async function localModelNamed(
  name: string,
  unknown: LonghaulError,
  detect: () => Promise<readonly LocalServer[]> = detectServers,
): Promise<string> {
  const servers = await detect();
  const models = servers.flatMap((server) =>
    server.models.map(({ id }) => ({ id, full: `${server.name}/${id}` })),
  );
  const found = models.filter(({ id }) => id === name || id === `${name}:latest`);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.full;
  if (models.length === 0) throw unknown;
  const { data } = unknown;
  const names = (ones: typeof models) =>
    ones
      .map(({ full }) => full)
      .slice(0, SHOWN)
      .join(', ');
  if (found.length > 0) {
    const message = `Several servers on this machine have the model "${name}". Name one: ${names(found)}.`;
    throw new LonghaulError('unknown_model', message, { data });
  }
  const hint = suggestion(
    name,
    models.map(({ id }) => id),
  );
  const more = models.length > SHOWN ? `, and ${models.length - SHOWN} more` : '';
  throw new LonghaulError(
    'unknown_model',
    `${unknown.message}${hint} Servers on this machine have ${names(models)}${more}.`,
    { data },
  );
}

async function detectServers(): Promise<readonly LocalServer[]> {
  const { detectLocalServers } = await import('@longhaul/models');
  return detectLocalServers();
}
