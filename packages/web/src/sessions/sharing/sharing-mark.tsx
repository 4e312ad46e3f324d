import type { SessionInfo } from '@longhaul/protocol/api';

/** Whose session it is, if it is not this person's, and whether others may use it. */
export function SharingMark({
  session: { owner, shared = 'none', isOwn = true },
}: {
  session: Pick<SessionInfo, 'owner' | 'shared' | 'isOwn'>;
}) {
  const words = [...(isOwn ? [] : [`of ${owner}`]), ...(shared === 'none' ? [] : ['shared'])];
  return words.length === 0 ? null : <span className="session-line-facts quiet">{words.join(' · ')}</span>;
}
