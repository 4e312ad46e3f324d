import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode, NodeCluster } from './node-cluster.ts';

export interface SlotsOptions {
  cluster: NodeCluster;
  /** Numbers from 0 to 1. */
  random: () => number;
  /** Takes a kill from those that are left. False: there is none. */
  takeKill: () => boolean;
  onEvent: (line: string) => void;
}

/** How long a server lives before something happens to it. */
const LIFE_MS = { least: 1_000, most: 9_000 };
/** The share of kills that strike the database. */
const OF_DATABASE = 0.08;
/** Longer than a lease. */
const SUSPENDED_MS = 18_000;

/** Keeps servers running that are killed, stopped and suspended, until no kill is left. */
export class NodeSlots {
  readonly #options: SlotsOptions;
  readonly #living = new Set<ClusterNode>();
  #database = Promise.resolve();

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** A server that answers requests, or did so a moment ago. */
  any(): ClusterNode | undefined {
    const living = [...this.#living];
    return living[Math.floor(this.#options.random() * living.length)];
  }

  /** Works in one slot. When it resolves, a server runs there, which is left alone. */
  async work(): Promise<void> {
    const { cluster, random, takeKill } = this.#options;
    for (;;) {
      const node = await cluster.start();
      if (node === undefined) {
        await sleep(500);
        continue;
      }
      this.#living.add(node);
      void node.ended.then(() => this.#living.delete(node));
      let isStruck = false;
      while (!isStruck) {
        await sleep(LIFE_MS.least + random() * (LIFE_MS.most - LIFE_MS.least));
        if (!takeKill()) return;
        isStruck = random() > OF_DATABASE;
        await (isStruck ? this.#strike(node) : this.#killDatabase());
      }
    }
  }

  /** As a power failure would. Kills of two slots follow each other. */
  async #killDatabase(): Promise<void> {
    const { cluster, onEvent } = this.#options;
    this.#database = this.#database.then(async () => {
      onEvent('the database is killed');
      await cluster.database.kill();
      await cluster.database.start();
    });
    await this.#database;
  }

  async #strike(node: ClusterNode): Promise<void> {
    const { random, onEvent } = this.#options;
    const choice = random();
    this.#living.delete(node);
    if (choice < 0.1) {
      onEvent('a server is stopped');
      node.process.kill('SIGTERM');
    } else if (choice < 0.2) {
      onEvent('a server is suspended, and killed after that');
      node.process.kill('SIGSTOP');
      await sleep(SUSPENDED_MS);
      node.process.kill('SIGCONT');
      await sleep(random() * 1_000);
      node.process.kill('SIGKILL');
    } else {
      onEvent('a server is killed');
      node.process.kill('SIGKILL');
    }
    await node.ended;
  }
}
