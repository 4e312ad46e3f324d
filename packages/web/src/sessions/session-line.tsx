import type { SessionInfo } from '@longhaul/protocol/api';
import { formatRoute } from '../shell/route.ts';
import { formatTime } from '../ui/format.ts';
import { SessionStateMark } from './session-state-mark.tsx';

export function SessionLine({ session, isShown }: { session: SessionInfo; isShown: boolean }) {
  const { id, title, task, state, workspace, updatedAt } = session;
  return (
    <li>
      <a
        className="session-line"
        href={formatRoute({ page: 'session', sessionId: id })}
        aria-current={isShown ? 'page' : undefined}
      >
        <span className="session-line-title">{title || task || 'Untitled'}</span>
        <span className="session-line-facts quiet">
          <SessionStateMark state={state} /> {folderName(workspace)} · {formatTime(updatedAt)}
        </span>
      </a>
    </li>
  );
}

function folderName(path: string): string {
  return path.split(/[/\\]/).findLast((name) => name !== '') ?? path;
}
