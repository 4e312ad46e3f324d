import type { Session } from '@longhaul/protocol';
import { withoutNulls } from './json.ts';

export interface SessionRow {
  id: string;
  createdAt: number;
  updatedAt: number;
  /** `unfinished`: a copy, an import or a deletion that is not complete. */
  status: Session['status'] | 'unfinished';
  task: string;
  title: string;
  model: string;
  workspace: string;
  metadata: string | null;
  checksum: number | null;
  parentId: string | null;
  parentCallId: string | null;
  summary: string | null;
}

export function toSession({ metadata, status, checksum: _checksum, ...row }: SessionRow): Session {
  // Only damage makes an unfinished session visible.
  const known = status === 'unfinished' ? 'failed' : status;
  return withoutNulls({
    ...row,
    status: known,
    metadata: metadata === null ? null : readableMetadata(metadata),
  });
}

/** Damaged metadata is left out: one damaged session must not fail the list of all. */
export function readableMetadata(metadata: string): NonNullable<Session['metadata']> | null {
  try {
    return JSON.parse(metadata);
  } catch {
    return null;
  }
}
