import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import type { FaultPoints } from './fault-points.ts';

/** Moments between the effects of any program at which a test can end it. The program does not know them. */
export const PROGRAM_POINTS = [
  /** A transaction has made its changes; nothing is stored. */
  'commit-before',
  'commit-after',
  /** A file has its final name, or was moved aside. */
  'file-renamed',
  'file-removed',
] as const;

export type ProgramPoint = (typeof PROGRAM_POINTS)[number];

/**
 * Makes this process pass the points: around every COMMIT of its SQLite connections, and after every file that it
 * renames or removes in its first thread. Cannot be undone. Call it before the program's modules are loaded.
 */
export function passProgramPoints(faults: FaultPoints<ProgramPoint>): void {
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function execAndPass(this: DatabaseSync, sql: string) {
    const isCommit = sql.trim().toUpperCase() === 'COMMIT';
    if (isCommit) faults.reach('commit-before');
    exec.call(this, sql);
    if (isCommit) faults.reach('commit-after');
  };
  const { rename, rm } = promises;
  promises.rename = async (...args) => {
    await rename(...args);
    faults.reach('file-renamed');
  };
  const { renameSync } = fs;
  fs.renameSync = (...args) => {
    renameSync(...args);
    faults.reach('file-renamed');
  };
  promises.rm = async (...args) => {
    await rm(...args);
    faults.reach('file-removed');
  };
  syncBuiltinESMExports();
}
