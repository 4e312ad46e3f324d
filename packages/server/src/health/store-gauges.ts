import type { Store } from '@longhaul/core';
import { Gauge, type Registry } from 'prom-client';
import { cached } from './cached.ts';
import type { HealthProbes } from './probes.ts';

/** Blobs are counted one by one, so not at each request. */
const SIZES_KEPT_MS = 5 * 60 * 1_000;
const QUEUE_KEPT_MS = 5_000;
const MAX_SESSIONS = 1_000;

export interface StoreGaugesOptions {
  store: Pick<Store, 'listQueuedSessions' | 'listQueue'>;
  probes?: HealthProbes | undefined;
}

/** Adds the figures of the store. One that cannot be read is left out. */
export function addStoreGauges(registry: Registry, { store, probes }: StoreGaugesOptions): void {
  const sizes = cached(async () => await probes?.storedBytes(), { maxAgeMs: () => SIZES_KEPT_MS });
  const queued = cached(() => countQueued(store), { maxAgeMs: () => QUEUE_KEPT_MS });
  const gauge = (name: string, help: string, value: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await value().catch(() => undefined);
        if (found === undefined) this.remove();
        else this.set(found);
      },
    });
  gauge('longhaul_queued_messages', 'Messages that wait for a run.', queued);
  gauge(
    'longhaul_database_bytes',
    'Size of the database with its log.',
    async () => (await sizes())?.database,
  );
  gauge('longhaul_blob_bytes', 'Size of all blobs.', async () => (await sizes())?.blobs);
  gauge(
    'longhaul_disk_free_bytes',
    'Free space on the disk of the store.',
    async () => await probes?.freeBytes(),
  );
}

async function countQueued(store: StoreGaugesOptions['store']): Promise<number> {
  let count = 0;
  for (const id of await store.listQueuedSessions({ limit: MAX_SESSIONS })) {
    count += (await store.listQueue(id)).length;
  }
  return count;
}
