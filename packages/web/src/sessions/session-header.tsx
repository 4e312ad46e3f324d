import { useSession, useSessionState } from '../data/use-session.ts';
import { useDocumentTitle } from '../shell/document-title.ts';
import { useRenaming } from './renaming.ts';
import { useSessionActions } from './session-actions.ts';
import { SessionMenu } from './session-menu.tsx';
import { sessionName } from './session-names.ts';
import { TitleEditor } from './title-editor.tsx';
import { useSessionListState } from './use-session-list.ts';

/** The title of the shown session, which can be changed in place, and its menu. */
export function SessionHeader() {
  const session = useSession();
  const detail = useSessionState((state) => state.detail);
  const actions = useSessionActions();
  const { renaming, rename } = useRenaming();
  // The list follows events while the stream of a hidden page is closed.
  const listed = useSessionListState(({ sessions }) => sessions.find(({ id }) => id === session.id)?.state);
  const name = detail === undefined ? 'Session' : sessionName(detail);
  useDocumentTitle({ name, state: listed ?? detail?.state });
  if (detail === undefined) return <h1 className="page-title">{name}</h1>;
  const save = async (title: string) => {
    const isSaved = await actions.rename(detail, title);
    if (isSaved) session.refresh();
    return isSaved;
  };
  return (
    <>
      {renaming === detail.id ? (
        <>
          <h1 className="only-read">{name}</h1>
          <TitleEditor title={detail.title || name} onSave={save} onClose={() => rename(undefined)} />
        </>
      ) : (
        <h1 className="page-title" title={detail.workspace}>
          {name}
        </h1>
      )}
      <SessionMenu session={detail} onRename={() => rename(detail.id)} />
    </>
  );
}
