import { useEffect, useRef, useState } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';
import { useNotify } from '../ui/toasts.tsx';
import { sequenceOf } from './rows.ts';

/**
 * Loads the message that the address names, and calls `show` when it is rendered.
 *
 * @returns Whether the message is being loaded.
 */
export function useLinkedMessage(handle: string | undefined, show: (sequence: number) => void): boolean {
  const session = useSession();
  const notify = useNotify();
  const isReady = useSessionState((state) => state.phase === 'ready');
  const [isSearching, setSearching] = useState(false);
  const calls = useRef({ show, notify });
  useEffect(() => {
    calls.current = { show, notify };
  });
  useEffect(() => {
    const sequence = sequenceOf(handle);
    if (sequence === undefined || !isReady) return;
    let isGone = false;
    const find = async () => {
      setSearching(true);
      const isFound = await session.readUntil(sequence).finally(() => setSearching(false));
      if (isGone) return;
      // The list renders the loaded messages first.
      if (isFound) requestAnimationFrame(() => requestAnimationFrame(() => calls.current.show(sequence)));
      else calls.current.notify({ kind: 'bad', title: `This session has no message ${handle}.` });
    };
    find().catch((error: unknown) => {
      console.warn('The message could not be read:', error);
      calls.current.notify({ kind: 'bad', title: `The message ${handle} cannot be read now. Try again.` });
    });
    return () => {
      isGone = true;
    };
  }, [session, handle, isReady]);
  return isSearching;
}
