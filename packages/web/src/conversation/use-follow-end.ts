import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useShrinkage } from './use-shrinkage.ts';

/** Rounding of positions. */
const AT_END_PX = 2;
/** A jump up that is larger is the reader's, such as a search of the browser. */
const JUMP_PX = 400;

export interface FollowEnd {
  /** Whether the end stays in view. */
  isFollowing: boolean;
  setFollowing: (isFollowing: boolean) => void;
  /** For the scroller, after each scroll. */
  onScroll: () => void;
}

/**
 * Keeps the end of a scroller in view while its content grows. The reader ends this with any scroll up, and begins it
 * again by a scroll to the end. Scrolls by the page itself, such as for messages that were measured, do not count.
 */
export function useFollowEnd(scroller: RefObject<HTMLElement | null>): FollowEnd {
  const [isFollowing, setFollowing] = useState(true);
  const isByReader = useReaderScrolls(scroller);
  const shrinkage = useShrinkage(scroller);
  const lastTop = useRef(0);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    shrinkage();
  }, [scroller, shrinkage]);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!isFollowing || element === null || content === null || content === undefined) return;
    toEnd();
    const observer = new ResizeObserver(toEnd);
    observer.observe(content);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, isFollowing, toEnd]);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const shrunk = shrinkage();
    // The list can scroll up again by the height that it lost.
    const up = lastTop.current - element.scrollTop - 2 * shrunk;
    lastTop.current = element.scrollTop;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (left <= AT_END_PX) setFollowing(true);
    else if ((up > 0 && isByReader.current) || up > JUMP_PX) setFollowing(false);
    else if (shrunk > 0 && isFollowing) toEnd();
  }, [scroller, isByReader, shrinkage, isFollowing, toEnd]);

  return { isFollowing, setFollowing, onScroll };
}

/** Whether the scroll that happens now was begun by the reader. */
function useReaderScrolls(scroller: RefObject<HTMLElement | null>): RefObject<boolean> {
  const isByReader = useRef(false);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const begin = () => {
      isByReader.current = true;
    };
    const end = () => {
      isByReader.current = false;
    };
    for (const name of BEGINS) element.addEventListener(name, begin, { passive: true });
    element.addEventListener('scrollend', end);
    return () => {
      for (const name of BEGINS) element.removeEventListener(name, begin);
      element.removeEventListener('scrollend', end);
    };
  }, [scroller]);
  return isByReader;
}

const BEGINS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
