import './sharing.css';
import type { Share } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { useState } from 'react';
import { Choice } from '../../files/choice.tsx';
import { Modal } from '../../ui/modal.tsx';
import { useSessionActions } from '../session-actions.ts';

export type SharedSession = Pick<SessionInfo, 'id' | 'title' | 'task' | 'owner' | 'shared' | 'may'>;

const OPTIONS: Readonly<Record<Share, string>> = {
  none: 'Only the owner and admins see it',
  read: 'Others can read it',
  work: 'Others can read it and work in it',
};

/** Says to whom a session belongs, and lets its owner and admins share it. */
export function SharingDialog({ session, onClose }: { session: SharedSession; onClose: () => void }) {
  const { owner, shared = 'none', may } = session;
  const actions = useSessionActions();
  const [chosen, setChosen] = useState<Share>(shared);
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    const isSaved = await actions.share(session, chosen);
    setSaving(false);
    if (isSaved) onClose();
  };
  return (
    <Modal title="Sharing" isOpen onClose={onClose}>
      <p>
        This session belongs to <strong>{owner}</strong>.
      </p>
      {may === 'own' ? (
        <div className="sharing-choice">
          <Choice legend="People with other tokens" value={chosen} options={OPTIONS} onChange={setChosen} />
        </div>
      ) : (
        <p>{OPTIONS[shared]}. Only its owner and admins can change this.</p>
      )}
      <div className="modal-buttons">
        <button type="button" className="button" onClick={onClose}>
          {may === 'own' ? 'Cancel' : 'Close'}
        </button>
        {may === 'own' && (
          <button type="button" className="button primary" disabled={isSaving} onClick={() => void save()}>
            Save
          </button>
        )}
      </div>
    </Modal>
  );
}
