import type { WindowMemory } from '@longhaul/models';
import type { UpstreamOptions } from '../options.ts';
import { Router } from './router.ts';
import { Upstream } from './upstream.ts';

export interface ForgottenWindow {
  upstream: string;
  baseUrl: string;
  model: string;
  /** The forgotten window; undefined if none was learned. */
  windowTokens: number | undefined;
}

/**
 * Forgets the window that refusals taught for a model. A learned window takes precedence over a larger one from the
 * configuration. `NAME/MODEL` means the upstream NAME; otherwise the model is forgotten at every upstream. A running
 * gateway with the same memory forgets it the next time it queries the server for the window.
 */
export async function forgetWindow(
  model: string,
  { upstreams, memory }: { upstreams: readonly UpstreamOptions[]; memory: WindowMemory },
): Promise<ForgottenWindow[]> {
  const router = new Router(upstreams.map((options) => new Upstream(options)));
  const named = router.routeNamed(model);
  const places = named.hasPrefix ? [named] : router.upstreams.map((upstream) => ({ upstream, model }));
  const forgotten: ForgottenWindow[] = [];
  for (const { upstream, model: name } of places) {
    const { baseUrl } = upstream;
    const windowTokens = await memory.learnedWindow({ baseUrl, model: name });
    await memory.forgetWindow({ baseUrl, model: name });
    forgotten.push({ upstream: upstream.name, baseUrl, model: name, windowTokens });
  }
  return forgotten;
}
