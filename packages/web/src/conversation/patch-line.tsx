import { describePatch, type PatchPart } from '@longhaul/protocol';
import { FileDiff } from 'lucide-react';
import { useSession } from '../data/use-session.ts';
import { formatRoute } from '../shell/route.ts';

/** What a step changed in the files. Leads to the files panel at this message. */
export function PatchLine({ patch, handle }: { patch: PatchPart; handle: string }) {
  const { id } = useSession();
  if (patch.before === undefined || patch.files.length === 0) return null;
  return (
    <p className="part-patch">
      <a href={formatRoute({ page: 'session', sessionId: id, panel: 'files', message: handle })}>
        <FileDiff aria-hidden size={14} /> Files: {describePatch(patch)}
      </a>
      {patch.atRevert && <span className="quiet"> (by a revert)</span>}
    </p>
  );
}
