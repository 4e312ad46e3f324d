import { type RefObject, useCallback, useEffect, useRef } from 'react';

/**
 * Counts by how many pixels the content of a scroller has shrunk. When it shrinks, the browser moves the content down
 * by as much, and this looks like a scroll up by the reader. The content may have grown again before the scroll is
 * reported, so each change counts, also those between two frames. Only the list sets its own height, in its style.
 *
 * @returns A function that returns the pixels since its last call.
 */
export function useShrinkage(scroller: RefObject<HTMLElement | null>): () => number {
  const shrunk = useRef(0);
  const observer = useRef<MutationObserver>(undefined);
  const lastHeight = useRef(0);

  const count = useCallback((records: readonly MutationRecord[]) => {
    const content = records.at(-1)?.target;
    if (!(content instanceof HTMLElement)) return;
    const styles = [...records.slice(1).map(({ oldValue }) => oldValue), content.getAttribute('style')];
    for (const style of styles) {
      const height = heightIn(style);
      shrunk.current += Math.max(0, lastHeight.current - height);
      lastHeight.current = height;
    }
  }, []);

  useEffect(() => {
    const content = scroller.current?.firstElementChild;
    if (content === null || content === undefined) return;
    lastHeight.current = heightIn(content.getAttribute('style'));
    const changes = new MutationObserver(count);
    changes.observe(content, { attributes: true, attributeFilter: ['style'], attributeOldValue: true });
    observer.current = changes;
    return () => changes.disconnect();
  }, [scroller, count]);

  return useCallback(() => {
    count(observer.current?.takeRecords() ?? []);
    const pixels = shrunk.current;
    shrunk.current = 0;
    return pixels;
  }, [count]);
}

/** The height that a style sets, in pixels. 0 if it sets none. */
function heightIn(style: string | null): number {
  return Number(/(?:^|[; ])height: ?([\d.]+)px/.exec(style ?? '')?.[1] ?? 0);
}
