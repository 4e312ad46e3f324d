import { LonghaulError } from '@longhaul/protocol';
import type { Upstream } from './upstream.ts';

export interface Route {
  upstream: Upstream;
  /** As the upstream knows it. */
  model: string;
  /** The client wrote the upstream's name before it. */
  hasPrefix: boolean;
}

/** Finds the upstream of a model. With one upstream, every model is its. */
export class Router {
  readonly upstreams: readonly Upstream[];
  readonly #first: Upstream;
  /** Which upstreams list a model, as their last list said. */
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
    const twice = upstreams.find(
      ({ name }, index) => upstreams.findIndex((other) => other.name === name) !== index,
    );
    if (twice !== undefined) {
      throw new LonghaulError(
        'config_invalid',
        `Two upstreams have the name "${twice.name}"; each needs its own.`,
      );
    }
    this.upstreams = upstreams;
    this.#first = first;
  }

  get hasPrefixes(): boolean {
    return this.upstreams.length > 1;
  }

  /** Whether its name or a list says whose it is. */
  knows(model: string): boolean {
    return (
      !this.hasPrefixes || this.#byPrefix(model) !== undefined || (this.#listed.get(model)?.size ?? 0) > 0
    );
  }

  /** By the prefix `NAME/`; else the one upstream that lists the model; else the first. */
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

  /** For a model that the configuration names: the prefix is understood with one upstream too. */
  routeNamed(model: string): Route {
    const named = this.#byPrefix(model);
    return named ?? this.route(model);
  }

  /** Where what names no model goes. */
  get default(): Upstream {
    return this.#first;
  }

  #byPrefix(model: string): Route | undefined {
    const upstream = this.upstreams.find(({ name }) => model.startsWith(`${name}/`));
    return upstream && { upstream, model: model.slice(upstream.name.length + 1), hasPrefix: true };
  }

  /** What an upstream's list said. */
  noteModels(upstream: Upstream, models: readonly string[]): void {
    for (const upstreams of this.#listed.values()) upstreams.delete(upstream);
    for (const model of models) {
      const upstreams = this.#listed.get(model) ?? new Set();
      this.#listed.set(model, upstreams.add(upstream));
    }
  }
}
