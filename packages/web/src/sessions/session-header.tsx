import { lazy, Suspense } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';
import { useDocumentTitle } from '../shell/document-title.ts';
import { ParentLink } from './parent-link.tsx';
import { useSessionActions } from './session-actions.ts';
import { SessionMenu } from './session-menu.tsx';
import { sessionName } from './session-names.ts';
import { useSessionRequest } from './session-request.ts';
import { TitleEditor } from './title-editor.tsx';
import { useSessionListState } from './use-session-list.ts';

const CompactDialog = lazy(async () => ({
  default: (await import('../context/compact-dialog.tsx')).CompactDialog,
}));

/** The title of the shown session, which can be changed in place, and its menu. */
export function SessionHeader() {
  const session = useSession();
  const detail = useSessionState((state) => state.detail);
  const actions = useSessionActions();
  const { request, ask, done } = useSessionRequest();
  // The list follows events while the stream of a hidden page is closed.
  const listed = useSessionListState(({ sessions }) => sessions.find(({ id }) => id === session.id)?.state);
  const name = detail === undefined ? 'Session' : sessionName(detail);
  useDocumentTitle({ name, state: listed ?? detail?.state });
  if (detail === undefined) return <h1 className="page-title">{name}</h1>;
  const open = request?.sessionId === detail.id ? request.kind : undefined;
  const save = async (title: string) => {
    const isSaved = await actions.rename(detail, title);
    if (isSaved) session.refresh();
    return isSaved;
  };
  return (
    <>
      {detail.parentId !== undefined && <ParentLink child={detail} parentId={detail.parentId} />}
      <h1 className={open === 'rename' ? 'only-read' : 'page-title'} title={detail.workspace}>
        {name}
      </h1>
      {open === 'rename' && <TitleEditor title={detail.title || name} onSave={save} onClose={done} />}
      <SessionMenu session={detail} onRename={() => ask({ kind: 'rename', sessionId: detail.id })} />
      <Suspense>{open === 'compact' && <CompactDialog session={session} onClose={done} />}</Suspense>
    </>
  );
}
