/** Copies sessions from one store to another, of any kind. Requires Node's SQLite. */

export { backUpStore } from './back-up-store.ts';
export type { CopiedBlobs } from './copy-blobs.ts';
export { copyStore, type TransferOptions, type TransferReport, type TransferSide } from './copy-store.ts';
export { openPostgresTables } from './postgres-tables.ts';
export { type RestoreStoreOptions, restoreStore } from './restore-store.ts';
export { openSqliteTables } from './sqlite-tables.ts';
export type { StoreTables } from './store-tables.ts';
