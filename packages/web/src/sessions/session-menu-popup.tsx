import { Menu } from '@base-ui/react/menu';
import type { SessionInfo } from '@longhaul/protocol/api';
import { Ellipsis } from 'lucide-react';
import '../ui/menu.css';
import { useEffect, useState } from 'react';
import { useSessionActions } from './session-actions.ts';

interface SessionMenuPopupProps {
  session: Pick<SessionInfo, 'id' | 'title' | 'task'>;
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
  const items: readonly [label: string, run: () => void][] = [
    ['Rename', onRename],
    ['Fork', () => void actions.fork(session)],
    ['Export', () => void actions.export(session, { files: false })],
    ['Export with files', () => void actions.export(session, { files: true })],
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
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item bad" onClick={() => void actions.delete(session)}>
              Delete
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
