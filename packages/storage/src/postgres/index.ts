export { examinePostgres, type PostgresFacts } from './examine-postgres.ts';
export { openPostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts';
export {
  isPostgresUrl,
  type PostgresAddress,
  parsePostgresUrl,
  shownPostgresAddress,
} from './postgres-address.ts';
export type { PostgresStore } from './postgres-store.ts';
