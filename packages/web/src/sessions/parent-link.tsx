import { childPlaceOf } from '@longhaul/protocol';
import type { SessionDetail } from '@longhaul/protocol/api';
import { CornerLeftUp } from 'lucide-react';
import { useCallback } from 'react';
import { useServer } from '../data/server.ts';
import { useRead } from '../data/use-read.ts';
import { formatRoute } from '../shell/route.ts';
import { sessionName } from './session-names.ts';

/** Leads from a child session to the call that has started it. */
export function ParentLink({ child, parentId }: { child: SessionDetail; parentId: string }) {
  const { client } = useServer();
  const { value } = useRead(
    useCallback((signal: AbortSignal) => client.sessions.get(parentId, { signal }), [client, parentId]),
  );
  const message = childPlaceOf(child)?.handle;
  const name = value === undefined ? 'its parent' : sessionName(value);
  return (
    <a
      className="parent-link quiet"
      href={formatRoute({ page: 'session', sessionId: parentId, ...(message !== undefined && { message }) })}
      title={`Started by “${name}”`}
    >
      <CornerLeftUp aria-hidden size={14} /> <span className="only-read">Back to </span>
      {name}
    </a>
  );
}
