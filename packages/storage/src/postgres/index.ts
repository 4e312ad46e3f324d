export { examinePostgres, type PostgresFacts } from './examine-postgres.ts';
export { openPostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts';
export {
  connectionOf,
  isPostgresUrl,
  type PostgresAddress,
  type PostgresConnection,
  parsePostgresUrl,
  shownPostgresAddress,
} from './postgres-address.ts';
export type { PostgresStore } from './postgres-store.ts';
