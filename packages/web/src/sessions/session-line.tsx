import type { SessionInfo } from '@longhaul/protocol/api';
import { useState } from 'react';
import { useOpenContext } from '../data/use-session.ts';
import { formatRoute } from '../shell/route.ts';
import { formatTime } from '../ui/format.ts';
import { useSessionActions } from './session-actions.ts';
import { SessionFiguresLine } from './session-figures-line.tsx';
import { SessionMenu } from './session-menu.tsx';
import { folderName, sessionName } from './session-names.ts';
import { SessionStateMark } from './session-state-mark.tsx';
import { SharingMark } from './sharing/sharing-mark.tsx';
import { TitleEditor } from './title-editor.tsx';

/** A session in the list. */
export function SessionLine({ session, isShown }: { session: SessionInfo; isShown: boolean }) {
  const { id, summary, workspace, updatedAt } = session;
  const actions = useSessionActions();
  const now = useOpenContext(id);
  const [isRenaming, setRenaming] = useState(false);
  if (isRenaming)
    return (
      <div className="session-line">
        <TitleEditor
          title={session.title || sessionName(session)}
          onSave={(title) => actions.rename(session, title)}
          onClose={() => setRenaming(false)}
        />
      </div>
    );
  return (
    <div className="session-line" data-shown={isShown || undefined}>
      <a
        className="session-line-link"
        href={formatRoute({ page: 'session', sessionId: id })}
        aria-current={isShown ? 'page' : undefined}
        title={summary}
      >
        <span className="session-line-title">{sessionName(session)}</span>
        <span className="session-line-facts quiet" title={workspace}>
          <SessionStateMark session={session} /> {folderName(workspace)} · {formatTime(updatedAt)}
        </span>
        <SharingMark session={session} />
        <SessionFiguresLine session={session} now={now} />
      </a>
      <SessionMenu session={session} onRename={() => setRenaming(true)} />
    </div>
  );
}
