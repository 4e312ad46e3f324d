import './conversation.css';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useSession, useSessionState } from '../data/use-session.ts';
import { RowView } from './row-view.tsx';
import { type Row, rowsOf } from './rows.ts';

const NEAR_END_PX = 80;
const NEAR_START_PX = 600;

/**
 * The messages. Only those near the visible ones are in the document. The end stays in view while the agent writes,
 * unless the reader has scrolled up; earlier messages are read when the reader comes near the first one.
 *
 * @param message Handle of the message to show first, such as `m12`.
 */
export function Conversation({ message }: { message: string | undefined }) {
  const session = useSession();
  const messages = useSessionState((state) => state.messages);
  const context = useSessionState((state) => state.context);
  const hasEarlier = useSessionState((state) => state.hasEarlier);
  const rows = rowsOf(messages, context?.hidden ?? []);

  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const isReading = useRef(false);
  const firstKey = rows[0]?.key;
  const formerFirst = useRef(firstKey);
  const isPrepended = formerFirst.current !== firstKey && isReading.current;
  useLayoutEffect(() => {
    formerFirst.current = firstKey;
  });

  const showMessage = useCallback(
    async (handle: string) => {
      const sequence = Number(/^m(\d+)/.exec(handle)?.[1]);
      if (!(await session.readUntil(sequence))) return;
      setAtEnd(false);
      requestAnimationFrame(() => {
        const { messages: loaded, context: report } = session.store.getState();
        const index = rowsOf(loaded, report?.hidden ?? []).findIndex((row) => row.sequence === sequence);
        list.current?.scrollToIndex(index, { align: 'center' });
      });
    },
    [session],
  );

  useEffect(() => {
    if (message !== undefined) void showMessage(message);
  }, [message, showMessage]);

  useFollowEnd(scroller, isAtEnd);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX);
    if (element.scrollTop < NEAR_START_PX && hasEarlier && !isReading.current) void readEarlier();
  };

  const readEarlier = async () => {
    isReading.current = true;
    try {
      await session.readEarlier();
    } finally {
      requestAnimationFrame(() => {
        isReading.current = false;
      });
    }
  };

  return (
    <div className="conversation" ref={scroller} onScroll={onScroll} tabIndex={-1}>
      <Virtualizer ref={list} scrollRef={scroller} shift={isPrepended} bufferSize={400}>
        {rows.map((row: Row) => (
          <RowView
            key={row.key}
            row={row}
            isLinked={row.sequence !== undefined && message === `m${row.sequence}`}
          />
        ))}
      </Virtualizer>
      {!isAtEnd && (
        <button type="button" className="button small conversation-end" onClick={() => setAtEnd(true)}>
          ↓ Newest
        </button>
      )}
    </div>
  );
}

/** Keeps the end in view while the content grows. */
function useFollowEnd(scroller: React.RefObject<HTMLDivElement | null>, isFollowing: boolean): void {
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (element === null || content === null || content === undefined || !isFollowing) return;
    const toEnd = () => {
      element.scrollTop = element.scrollHeight;
    };
    toEnd();
    const observer = new ResizeObserver(toEnd);
    observer.observe(content);
    return () => observer.disconnect();
  }, [scroller, isFollowing]);
}
