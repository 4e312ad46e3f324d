/** Maintenance of a store on disk: garbage collection, repair and diagnosis. Requires Node's SQLite. */

export { rowChecksum } from '../shared/row-checksum.ts';
export { type BackupReport, backUpStorage } from './backup/back-up.ts';
export { type RestoreReport, restoreStorage } from './backup/restore.ts';
export {
  collectGarbage,
  type GarbageOptions,
  type GarbagePlan,
  type GarbageReport,
  type GarbageStep,
  planGarbage,
  storedBytes,
} from './collect-garbage.ts';
export { type Contents, examineContents } from './examine-contents.ts';
export type { NotGivenBack } from './give-back.ts';
export { lostText } from './lost-rows.ts';
export { type Copy, isSoleDatabase } from './neighbours.ts';
export type { StoragePlace } from './place.ts';
export {
  type Examination,
  examineDatabase,
  moveDatabaseAside,
  type RepairReport,
  repairDatabase,
} from './repair-database.ts';
export type { RetentionLimits } from './retention.ts';
export type { SavedTable } from './salvage.ts';
export type { SweepResult } from './sweep-place.ts';
export type { TreePacks } from './tree-packs.ts';
