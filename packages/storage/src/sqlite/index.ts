export { type NearestFolder, nearestFolder } from '../shared/private-folder.ts';
export { type DatabaseFacts, databaseProblem } from './database-problem.ts';
export { openSqliteStore } from './open-sqlite-store.ts';
export type { SqliteStore } from './sqlite-store.ts';
export type { SqliteStoreOptions } from './sqlite-store-options.ts';
