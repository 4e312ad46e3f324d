import './conversation.css';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useSessionState } from '../data/use-session.ts';
import { AnswerAnnouncer } from './answer-announcer.tsx';
import { RowView } from './row-view.tsx';
import { type Row, rowsOf, sequenceOf } from './rows.ts';
import { useEarlierMessages } from './use-earlier-messages.ts';
import { useFollowEnd } from './use-follow-end.ts';
import { useLinkedMessage } from './use-linked-message.ts';

const NONE: never[] = [];

/**
 * The messages. Only those near the visible ones are in the document. The end stays in view while the agent writes,
 * unless the reader has scrolled up; earlier messages are read when the reader comes near the first one.
 *
 * @param message Handle of the message to show first, such as `m12`.
 */
export function Conversation({ message }: { message: string | undefined }) {
  const messages = useSessionState((state) => state.messages);
  const hidden = useSessionState((state) => state.context?.hidden ?? NONE);
  const rows = useMemo(() => rowsOf(messages, hidden), [messages, hidden]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { isFollowing, setFollowing, onScroll } = useFollowEnd(scroller);
  const earlier = useEarlierMessages(scroller);
  const isPrepended = useIsPrepended(rows);
  const isSearching = useLinkedMessage(message, (sequence) => {
    // Otherwise the list would scroll to the end again.
    flushSync(() => setFollowing(false));
    list.current?.scrollToIndex(
      rowsNow.current.findIndex((row) => row.sequence === sequence),
      { align: 'center' },
    );
  });
  const rowsNow = useRef(rows);
  useLayoutEffect(() => {
    rowsNow.current = rows;
  });
  const linked = sequenceOf(message);
  return (
    <div
      className="conversation"
      ref={scroller}
      tabIndex={-1}
      onScroll={() => {
        onScroll();
        earlier.onScroll();
      }}
    >
      <Virtualizer ref={list} data={rows} scrollRef={scroller} shift={isPrepended} bufferSize={400}>
        {(row: Row) => (
          <RowView key={row.key} row={row} isLinked={row.sequence !== undefined && row.sequence === linked} />
        )}
      </Virtualizer>
      <div role="status" className="conversation-status">
        {(earlier.isReading || isSearching) && <p className="quiet">Loading earlier messages…</p>}
      </div>
      {!isFollowing && (
        <button type="button" className="button small conversation-end" onClick={() => setFollowing(true)}>
          ↓ Newest
        </button>
      )}
      <AnswerAnnouncer />
    </div>
  );
}

/** Whether rows were added before the former first one. The list then keeps what is in view in its place. */
function useIsPrepended(rows: readonly Row[]): boolean {
  const former = useRef<string>(undefined);
  const first = rows[0]?.key;
  const isPrepended =
    former.current !== undefined &&
    former.current !== first &&
    rows.some(({ key }) => key === former.current);
  useEffect(() => {
    former.current = first;
  }, [first]);
  return isPrepended;
}
