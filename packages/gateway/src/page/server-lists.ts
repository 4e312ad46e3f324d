import { toLonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from '../gateway-core.ts';
import { listOf } from '../proxy/models-list.ts';
import type { Upstream } from '../upstream/upstream.ts';

const TIMEOUT_MS = 3_000;
/** Age at which the lists are queried again while a page is open. */
const MAX_AGE_MS = 10_000;

export interface ServerList {
  models: readonly string[];
  /** Why the newest query failed. The models are then those of the last answer. */
  problem: string | undefined;
}

/** The models that the upstreams list. They are queried only while a page is open. */
export class ServerLists {
  readonly #core: Pick<GatewayCore, 'router' | 'settings' | 'windows'>;
  readonly #now: () => number;
  readonly #lists = new Map<Upstream, ServerList>();
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(core: Pick<GatewayCore, 'router' | 'settings' | 'windows'>, now = () => performance.now()) {
    this.#core = core;
    this.#now = now;
  }

  /** Undefined: not answered yet. */
  of(upstream: Upstream): ServerList | undefined {
    return this.#lists.get(upstream);
  }

  /** Queries the lists if they are old. Never rejects. */
  renew(): Promise<void> {
    if (this.#asking === undefined && this.#now() - this.#askedAt < MAX_AGE_MS) return Promise.resolve();
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
      this.#askedAt = this.#now();
    });
    return this.#asking;
  }

  /** Whether the upstream of a model `NAME/MODEL` lists it. Undefined: its list is not known. */
  async lists(name: string): Promise<boolean | undefined> {
    await this.renew();
    const { router } = this.#core;
    const { upstream, model } = router.routeNamed(name);
    const list = this.#lists.get(upstream);
    if (list === undefined || list.problem !== undefined) return undefined;
    return list.models.includes(model);
  }

  async #askAll(): Promise<void> {
    await Promise.all(this.#core.router.upstreams.map((upstream) => this.#ask(upstream)));
  }

  async #ask(upstream: Upstream): Promise<void> {
    // Never the key of a client.
    const key = upstream.apiKey;
    const headers = [
      ...['Accept', 'application/json'],
      ...(key === undefined ? [] : ['Authorization', `Bearer ${key}`]),
    ];
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const listed = await listOf(this.#core, upstream, { path: '/models', headers, signal });
      const models = listed.map(({ id }) => id);
      this.#lists.set(upstream, { models, problem: undefined });
      await this.#core.windows.refreshAll(upstream, models);
    } catch (thrown) {
      const models = this.#lists.get(upstream)?.models ?? [];
      const problem = signal.aborted
        ? `No answer within ${TIMEOUT_MS / 1_000} s.`
        : toLonghaulError(thrown).message;
      this.#lists.set(upstream, { models, problem });
    }
  }
}
