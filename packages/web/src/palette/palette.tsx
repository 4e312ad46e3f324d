import './palette.css';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import type { SessionInfo } from '@longhaul/protocol/api';
import { useEffect, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useSessionListState } from '../sessions/use-session-list.ts';
import { useRoute } from '../shell/route.ts';
import { matchesWords, type PaletteGroup, type PaletteItem, paletteGroups } from './palette-items.ts';
import { useShownSession } from './use-shown-session.ts';

/** Sessions, pages and actions by their names, with the keyboard. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const route = useRoute();
  const shown = useShownSession();
  const [words, setWords] = useState('');
  const sessions = useSessionsNamed(words);
  const groups = paletteGroups({ route, shown, sessions, onShortcuts });
  const choose = (item: PaletteItem) => {
    onClose();
    item.run();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="modal-backdrop" />
        <Dialog.Popup className="palette" aria-label="Palette">
          <Autocomplete.Root
            open
            inline
            items={groups}
            value={words}
            onValueChange={setWords}
            filter={matchesWords}
            itemToStringValue={({ label }: PaletteItem) => label}
            autoHighlight="always"
            keepHighlight
          >
            <Autocomplete.Input
              className="palette-input"
              aria-label="Search sessions, pages and actions"
              placeholder="Search sessions, pages and actions"
            />
            <Dialog.Close className="only-read">Close the palette</Dialog.Close>
            <Autocomplete.Empty className="palette-empty quiet">Nothing with these words.</Autocomplete.Empty>
            <Autocomplete.List className="palette-list">
              {(group: PaletteGroup) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="palette-group">{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: PaletteItem) => (
                      <Autocomplete.Item
                        key={item.id}
                        value={item}
                        className="palette-item"
                        onClick={() => choose(item)}
                      >
                        <span className="palette-label">{item.label}</span>
                        {item.hint !== undefined && <span className="quiet">{item.hint}</span>}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const MOST_SESSIONS = 30;
const PAUSE_MS = 200;

/** The newest sessions, or those of all sessions of the server that have the words in their titles. */
function useSessionsNamed(words: string): readonly SessionInfo[] {
  const { client } = useServer();
  const loaded = useSessionListState((state) => state.sessions);
  const [found, setFound] = useState<readonly SessionInfo[]>([]);
  const search = words.trim();
  useEffect(() => {
    if (search === '') return setFound([]);
    const ends = new AbortController();
    const { signal } = ends;
    const timer = setTimeout(() => {
      client.sessions
        .list({ search: search.slice(0, 200), limit: MOST_SESSIONS, parent: 'any' }, { signal })
        .then(
          ({ sessions }) => setFound(sessions),
          // The loaded sessions are still offered, and the page says when the server does not answer.
          () => !signal.aborted && setFound([]),
        );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ends.abort();
    };
  }, [client, search]);
  const known = new Set(loaded.map(({ id }) => id));
  const all = search === '' ? loaded.slice(0, MOST_SESSIONS) : loaded;
  return [...all, ...found.filter(({ id }) => !known.has(id))];
}
