import { DatabaseSync } from 'node:sqlite';
import { readLines } from '../records/lines.ts';
import type { SessionPaths } from '../records/paths.ts';
import { readSession, type StoredSession } from '../records/read-database.ts';
import type { FamilyEffectLine } from './family-tools.ts';

/** A session of the family as it is stored. */
export interface StoredMember extends StoredSession {
  id: string;
  parentId: string | undefined;
  parentCallId: string | undefined;
  task: string;
}

export interface StoredFamily {
  /** The parent first. */
  members: readonly StoredMember[];
  effects: readonly FamilyEffectLine[];
}

/** Reads a parent, its children and theirs, without any of the code that wrote them. */
export function readFamily(paths: SessionPaths, parentId: string): StoredFamily {
  const database = new DatabaseSync(paths.database, { readOnly: true, timeout: 5_000 });
  const rows = database.prepare('SELECT id, parent_id, parent_call_id, task FROM sessions').all();
  database.close();
  const members = rows.map((row): StoredMember => {
    const id = String(row['id']);
    return {
      ...readSession(paths.database, id),
      id,
      parentId: textOf(row['parent_id']),
      parentCallId: textOf(row['parent_call_id']),
      task: String(row['task']),
    };
  });
  const isParent = ({ id }: StoredMember) => id === parentId;
  return {
    members: [...members.filter(isParent), ...members.filter((member) => !isParent(member))],
    effects: readLines<FamilyEffectLine>(paths.effects),
  };
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
