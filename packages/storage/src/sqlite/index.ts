export { type NearestFolder, nearestFolder } from '../shared/private-folder.ts';
export { type DatabaseFacts, databaseProblem } from './database-problem.ts';
export { openSqliteCache } from './open-sqlite-cache.ts';
export { openSqliteStore } from './open-sqlite-store.ts';
export type { SqliteCache, SqliteCacheOptions } from './sqlite-cache.ts';
export type { SqliteStore } from './sqlite-store.ts';
export type { SqliteStoreOptions } from './sqlite-store-options.ts';
