/** Maintenance of a store in PostgreSQL. */

export {
  collectPostgresGarbage,
  type PostgresGarbageOptions,
  type PostgresGarbageReport,
  planPostgresGarbage,
} from './collect-garbage.ts';
export { examinePostgresBlobs, type PostgresBlobFacts } from './examine-blobs.ts';
export type { PostgresPlace } from './place.ts';
