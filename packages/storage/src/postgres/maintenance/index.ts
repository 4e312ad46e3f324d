/** Maintenance of a store in PostgreSQL. */

export {
  collectPostgresGarbage,
  type PostgresGarbageOptions,
  type PostgresGarbageReport,
  type PostgresPlace,
  planPostgresGarbage,
} from './collect-garbage.ts';
