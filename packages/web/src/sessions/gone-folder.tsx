import './gone-folder.css';
import { type FormEvent, useState } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';
import { FolderChoice } from './new/folder-choice.tsx';
import { useSessionActions } from './session-actions.ts';

/** Says what can be done here about a session whose folder no longer exists. */
export function GoneFolder({ folder }: { folder: string }) {
  const { id } = useSession();
  const detail = useSessionState((state) => state.detail);
  const actions = useSessionActions();
  const [chosen, setChosen] = useState('');
  const [isCopying, setCopying] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setCopying(true);
    await actions.copyInto(detail ?? { id, title: '', task: '' }, chosen.trim());
    setCopying(false);
  };
  return (
    <form className="gone-folder" onSubmit={(event) => void submit(event)}>
      <p>
        Nothing is at <code>{folder}</code> on the machine of the server, or it is no folder. To continue
        there, restore it or create an empty one, and press Resume. To continue elsewhere, copy the session
        into another folder.
      </p>
      <FolderChoice folder={chosen} onChange={setChosen} />
      <button type="submit" className="button" disabled={isCopying || chosen.trim() === ''}>
        Copy the session
      </button>
    </form>
  );
}
