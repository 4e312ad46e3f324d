import { Menu } from '@base-ui/react/menu';
import type { SessionInfo } from '@longhaul/protocol/api';
import { Ellipsis } from 'lucide-react';
import '../ui/menu.css';
import { useEffect, useState } from 'react';
import { useSessionActions } from './session-actions.ts';
import { type SharedSession, SharingDialog } from './sharing/sharing-dialog.tsx';

interface SessionMenuPopupProps {
  session: SharedSession & Pick<SessionInfo, 'parentId'>;
  /** Name of the button. */
  label: string;
  onRename: () => void;
}

/** The button of the menu and its items. Opens at once. */
export function SessionMenuPopup({ session, label, onRename }: SessionMenuPopupProps) {
  const actions = useSessionActions();
  const [trigger, setTrigger] = useState<HTMLElement | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(trigger !== null), [trigger]);
  const [isSharing, setSharing] = useState(false);
  const { may = 'own', owner, parentId } = session;
  const items: readonly (readonly [label: string, run: () => void])[] = [
    ...(may === 'see' ? [] : [['Rename', onRename] as const]),
    ['Fork', () => void actions.fork(session)],
    ['Export', () => void actions.export(session, { files: false })],
    ['Export with files', () => void actions.export(session, { files: true })],
    // A child is shared with its parent.
    ...(parentId === undefined && owner !== undefined ? [['Sharing', () => setSharing(true)] as const] : []),
  ];
  return (
    <Menu.Root open={isOpen} onOpenChange={setOpen}>
      <Menu.Trigger ref={setTrigger} className="icon-button session-menu" aria-label={label} title={label}>
        <Ellipsis aria-hidden />
      </Menu.Trigger>
      {/* All content of the page is in a landmark, so that screen readers can find it. */}
      <Menu.Portal container={trigger?.closest<HTMLElement>('nav, main')}>
        <Menu.Positioner className="menu-place" sideOffset={4} align="end">
          <Menu.Popup className="menu">
            {items.map(([name, run]) => (
              <Menu.Item key={name} className="menu-item" onClick={run}>
                {name}
              </Menu.Item>
            ))}
            {may === 'own' && (
              <>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="menu-item bad" onClick={() => void actions.delete(session)}>
                  Delete
                </Menu.Item>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
      {isSharing && <SharingDialog session={session} onClose={() => setSharing(false)} />}
    </Menu.Root>
  );
}
