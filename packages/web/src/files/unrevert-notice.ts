import type { ResponseOf } from '@longhaul/protocol/api';
import { plural } from '../ui/format.ts';
import type { Notice } from '../ui/toasts.tsx';

/** What became of an attempt to take the newest revert back. */
export function unrevertNotice({
  status,
  conflicts,
}: Pick<ResponseOf<'unrevert'>, 'status' | 'conflicts'>): Notice {
  if (status === 'blocked')
    return {
      kind: 'bad',
      title: `Nothing was done: somebody else changed ${plural(conflicts.length, 'file')} since the revert.`,
      description: 'Open Changed files and choose “Undo the newest revert” to keep or overwrite them.',
    };
  return {
    kind: 'good',
    title: status === 'unchanged' ? 'Nothing had to be restored.' : 'The revert is undone.',
  };
}
