import type { SessionInfo } from '@longhaul/protocol/api';
import { Ellipsis } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { sessionName } from './session-names.ts';
import type { SharedSession } from './sharing/sharing-dialog.tsx';

const LoadedMenu = lazy(async () => ({
  default: (await import('./session-menu-popup.tsx')).SessionMenuPopup,
}));

interface SessionMenuProps {
  session: SharedSession & Pick<SessionInfo, 'parentId'>;
  onRename: () => void;
}

/** What can be done with a session. The menu itself is loaded when it is opened first. */
export function SessionMenu({ session, onRename }: SessionMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const label = `Actions for ${sessionName(session)}`;
  const button = (
    <IconButton
      icon={Ellipsis}
      label={label}
      className="session-menu"
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <LoadedMenu session={session} label={label} onRename={onRename} />
    </Suspense>
  );
}
