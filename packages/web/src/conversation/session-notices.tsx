import { describeSwitch, type LonghaulEvent } from '@longhaul/protocol';
import { useEffect } from 'react';
import { useSession } from '../data/use-session.ts';
import { type Notice, useNotify } from '../ui/toasts.tsx';

/** Shows as toasts what a run reports and no message contains. */
export function SessionNotices() {
  const session = useSession();
  const notify = useNotify();
  useEffect(
    () =>
      session.onEvent((event) => {
        const notice = noticeOf(event);
        if (notice !== undefined)
          notify({ ...notice, key: `${event.type} ${event.sessionId} ${event.number}` });
      }),
    [session, notify],
  );
  return null;
}

function noticeOf(event: LonghaulEvent): Notice | undefined {
  switch (event.type) {
    case 'context:warning':
    case 'budget:warning':
    case 'run:repaired':
      return { kind: 'plain', title: event.message };
    case 'llm:switched':
      return { kind: 'plain', title: describeSwitch(event) };
    case 'llm:unsupported-input':
      return { kind: 'bad', title: event.errors.join(' ') };
    case 'trust:requested':
      return {
        kind: 'plain',
        title: `Settings of this project are ignored, because it is not trusted: ${event.wants.map(({ key }) => key).join(', ')}`,
        description: 'The command longhaul trust shows them, and trusts them.',
      };
    default:
      return undefined;
  }
}
