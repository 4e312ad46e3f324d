import './palette.css';
import { Modal } from '../ui/modal.tsx';

const SHORTCUTS: readonly [keys: readonly string[], does: string][] = [
  [['Ctrl', 'K'], 'Opens the palette: sessions, pages and actions. On a Mac: ⌘ K'],
  [['?'], 'Shows this list'],
  [['Enter'], 'Sends the message'],
  [['Shift', 'Enter'], 'Begins a new line in the message'],
  [['Esc'], 'Closes a dialog, a menu or the list of sessions; leaves a title unchanged'],
  [['↑', '↓'], 'Moves in the palette and in menus'],
  [['Tab'], 'Moves to the next control. The first one skips to the content'],
];

/** The keys of this page. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Modal title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className="shortcuts">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys.join(' ')}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
