import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** The same width as in shell.css and sidebar.css. */
const NARROW = '(max-width: 50rem)';

/**
 * The list of sessions on a narrow screen: it covers the page. While it is open, the focus stays inside, and Escape
 * closes it.
 */
export function useDrawer(id: string): { isOpen: boolean; open: () => void; close: () => void } {
  const isNarrow = useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
  const [isWanted, setWanted] = useState(false);
  const opener = useRef<Element | null>(null);
  const isOpen = isWanted && isNarrow;
  useEffect(() => {
    if (!isOpen) return;
    // Hidden elements take no focus, and the drawer is shown with the next frame.
    const frame = requestAnimationFrame(() =>
      document.getElementById(id)?.querySelector<HTMLElement>('a, button, input')?.focus(),
    );
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) setWanted(false);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('keydown', onKeyDown);
      // The page is inert until the next rendering.
      requestAnimationFrame(() => {
        if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
      });
    };
  }, [isOpen, id]);
  return {
    isOpen,
    open: () => {
      opener.current = document.activeElement;
      setWanted(true);
    },
    close: () => setWanted(false),
  };
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
