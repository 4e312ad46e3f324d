import type { WindowMemory } from '@longhaul/models';
import type { UpstreamOptions } from '../options.ts';
import { Router } from './router.ts';
import { Upstream } from './upstream.ts';

export interface ForgottenWindow {
  upstream: string;
  baseUrl: string;
  model: string;
  /** Undefined where nothing was learned of it. */
  windowTokens: number | undefined;
}

/**
 * Forgets what refusals taught of a model, which stands above what a configuration says: of `NAME/MODEL` at that upstream, else at each. A gateway that
 * runs on the same memory forgets it when it asks the server for its window next.
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
