import { LonghaulError } from '@longhaul/protocol';
import type { Upstream } from './upstream.ts';

export interface Route {
  upstream: Upstream;
  /** The model's name at the upstream, without a prefix. */
  model: string;
  /** Whether the client wrote the upstream's name before the model's. */
  hasPrefix: boolean;
}

/** Finds the upstream of a model. With one upstream, every model belongs to it. */
export class Router {
  readonly upstreams: readonly Upstream[];
  readonly #first: Upstream;
  /** For each model, the upstreams whose last list contains it. */
  readonly #listed = new Map<string, Set<Upstream>>();

  /** @throws {LonghaulError} `config_invalid` */
  constructor(upstreams: readonly Upstream[]) {
    const [first] = upstreams;
    if (first === undefined) {
      throw new LonghaulError(
        'config_invalid',
        'The gateway has no upstream. Name one: longhaul gateway --upstream http://127.0.0.1:1234/v1',
      );
    }
    const duplicate = upstreams.find(
      ({ name }, index) => upstreams.findIndex((other) => other.name === name) !== index,
    );
    if (duplicate !== undefined) {
      throw new LonghaulError(
        'config_invalid',
        `Two upstreams have the name "${duplicate.name}". Give each its own name.`,
      );
    }
    this.upstreams = upstreams;
    this.#first = first;
  }

  get hasPrefixes(): boolean {
    return this.upstreams.length > 1;
  }

  /** Whether `route` can find the upstream by a prefix or a list. True if there is only one upstream. */
  knows(model: string): boolean {
    return (
      !this.hasPrefixes || this.#byPrefix(model) !== undefined || (this.#listed.get(model)?.size ?? 0) > 0
    );
  }

  /** Returns the upstream of the prefix `NAME/`; else the only upstream that lists the model; else the first. */
  route(model: string): Route {
    if (!this.hasPrefixes) return { upstream: this.#first, model, hasPrefix: false };
    const named = this.#byPrefix(model);
    if (named !== undefined) return named;
    const [only, another] = this.#listed.get(model) ?? [];
    return {
      upstream: only !== undefined && another === undefined ? only : this.#first,
      model,
      hasPrefix: false,
    };
  }

  /** Routes a model that the configuration names. Unlike `route`, it accepts a prefix even with one upstream. */
  routeNamed(model: string): Route {
    const named = this.#byPrefix(model);
    return named ?? this.route(model);
  }

  /** The upstream of requests that name no model. */
  get default(): Upstream {
    return this.#first;
  }

  #byPrefix(model: string): Route | undefined {
    const upstream = this.upstreams.find(({ name }) => model.startsWith(`${name}/`));
    return upstream && { upstream, model: model.slice(upstream.name.length + 1), hasPrefix: true };
  }

  /** Stores the list of models of an upstream. */
  noteModels(upstream: Upstream, models: readonly string[]): void {
    for (const upstreams of this.#listed.values()) upstreams.delete(upstream);
    for (const model of models) {
      const upstreams = this.#listed.get(model) ?? new Set();
      this.#listed.set(model, upstreams.add(upstream));
    }
  }
}
