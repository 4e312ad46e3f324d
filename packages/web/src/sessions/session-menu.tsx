import { Menu } from '@base-ui/react/menu';
import type { SessionInfo } from '@longhaul/protocol/api';
import { Ellipsis } from 'lucide-react';
import { useRef, useState } from 'react';
import '../ui/menu.css';
import { useSessionActions } from './session-actions.ts';
import { sessionName } from './session-names.ts';

/** What can be done with a session. */
export function SessionMenu({
  session,
  onRename,
}: {
  session: Pick<SessionInfo, 'id' | 'title' | 'task'>;
  onRename: () => void;
}) {
  const actions = useSessionActions();
  const items: readonly [label: string, run: () => void][] = [
    ['Rename', onRename],
    ['Fork', () => void actions.fork(session)],
    ['Export', () => void actions.export(session, { files: false })],
    ['Export with files', () => void actions.export(session, { files: true })],
  ];
  // All content of the page is in a landmark, so that screen readers can find it.
  const trigger = useRef<HTMLButtonElement>(null);
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  const label = `Actions for ${sessionName(session)}`;
  return (
    <Menu.Root onOpenChange={() => setLandmark(trigger.current?.closest<HTMLElement>('nav, main') ?? null)}>
      <Menu.Trigger ref={trigger} className="icon-button session-menu" aria-label={label} title="Actions">
        <Ellipsis aria-hidden />
      </Menu.Trigger>
      <Menu.Portal container={landmark}>
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
