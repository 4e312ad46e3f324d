import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';

/** So far that the list can keep the place of the reader: it scrolls by the height of the added messages. */
const NEAR_START_PX = 3_000;
/** New messages are measured and the end is scrolled into view within this time. */
const SETTLE_MS = 150;

export interface EarlierMessages {
  isReading: boolean;
  /** For the scroller, after each scroll. */
  onScroll: () => void;
}

/**
 * Reads the messages before the loaded ones, a page at a time, when their beginning is near: after any scroll, if the
 * messages do not fill the screen, and when the reader scrolls on at the very beginning, which is not a scroll for the
 * browser.
 */
export function useEarlierMessages(scroller: RefObject<HTMLElement | null>): EarlierMessages {
  const session = useSession();
  const firstLoaded = useSessionState((state) => state.messages[0]?.id);
  const [isReading, setReading] = useState(false);
  const isBusy = useRef(true);

  const read = useCallback(async () => {
    isBusy.current = true;
    setReading(true);
    try {
      await session.readEarlier();
    } catch (error) {
      // The next scroll tries again; the line about the connection says that the server does not answer.
      console.warn('Earlier messages could not be read:', error);
    } finally {
      isBusy.current = false;
      setReading(false);
    }
  }, [session]);
  const look = useCallback(() => {
    const top = scroller.current?.scrollTop ?? Number.POSITIVE_INFINITY;
    if (!isBusy.current && session.store.getState().hasEarlier && top < NEAR_START_PX) void read();
  }, [scroller, session, read]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new first message is the event
  useEffect(() => {
    isBusy.current = true;
    const timer = setTimeout(() => {
      isBusy.current = false;
      look();
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [firstLoaded, look]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    for (const name of TRIES) element.addEventListener(name, look, { passive: true });
    return () => {
      for (const name of TRIES) element.removeEventListener(name, look);
    };
  }, [scroller, look]);

  return { isReading, onScroll: look };
}

const TRIES = ['wheel', 'touchmove', 'keydown'] as const;
