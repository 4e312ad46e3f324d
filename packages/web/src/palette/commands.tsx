import { lazy, Suspense, useEffect, useState } from 'react';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }));

type Shown = 'palette' | 'shortcuts' | undefined;

/** The palette on Ctrl-K or Cmd-K, and the list of shortcuts on `?`. Both are loaded when they are needed. */
export function Commands() {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const wanted = wantedBy(event);
      if (wanted === undefined) return;
      event.preventDefault();
      setShown((before) => (before === wanted ? undefined : wanted));
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const close = () => setShown(undefined);
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={close} onShortcuts={() => setShown('shortcuts')} />}
      {shown === 'shortcuts' && <ShortcutList onClose={close} />}
    </Suspense>
  );
}

/** What a key press shows. In a field, `?` is only a character. */
export function wantedBy(
  event: Pick<
    KeyboardEvent,
    'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing' | 'target'
  >,
): Shown {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing, target } = event;
  if (isComposing || altKey) return undefined;
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !shiftKey) return 'palette';
  if (key === '?' && !ctrlKey && !metaKey && !isField(target)) return 'shortcuts';
  return undefined;
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}
