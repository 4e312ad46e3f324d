import type { MergeConflictReason } from '@longhaul/core';

export function conflictMessage(reason: MergeConflictReason): string {
  return CONFLICTS[reason];
}

const CONFLICTS: Record<MergeConflictReason, string> = {
  lines: 'Both sides changed the same lines, or lines next to each other.',
  content: 'Both sides changed it, and it cannot be merged by lines.',
  added: 'Both sides added a different file here.',
  'deleted-here': 'It was deleted here, and changed there.',
  'deleted-there': 'It was changed here, and deleted there.',
  renamed: 'One side renamed it, and the other side renamed or deleted it.',
  kind: 'One side has a file here, and the other side has a folder or a link.',
  mode: 'Both sides changed its permissions.',
  unrecorded: 'Its content here is not recorded, because it is a secret, too large or not readable.',
};
