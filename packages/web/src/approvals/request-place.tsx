import { formatRoute } from '../shell/route.ts';
import { formatTime } from '../ui/format.ts';
import type { InboxItem } from './inbox.ts';

/** Which session asks, when, and of which parent it is a child. */
export function RequestPlace({ approval }: { approval: InboxItem }) {
  const { sessionId, handle, title, parent, requestedAt } = approval;
  return (
    <p className="quiet">
      <a href={formatRoute({ page: 'session', sessionId, message: handle })}>{title}</a>
      {parent !== undefined && (
        <>
          , a child of <a href={formatRoute({ page: 'session', sessionId: parent.id })}>{parent.title}</a>
        </>
      )}{' '}
      · {formatTime(requestedAt)}
    </p>
  );
}
