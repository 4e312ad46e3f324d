import { useId } from 'react';
import type { QueueLine } from './queue-list.ts';

interface GoneItemProps {
  line: QueueLine;
  isBusy: boolean;
  /** Undefined discards the text. */
  onText: (text: string | undefined) => void;
  onQueue: () => void;
}

/** The changed text of a message that was delivered or removed before the change was saved. */
export function GoneItem({ line: { text = '' }, isBusy, onText, onQueue }: GoneItemProps) {
  const id = useId();
  return (
    <li className="queue-item queue-gone">
      <p role="alert">This message was delivered or removed while you edited it. Your text is kept here.</p>
      <label htmlFor={id} className="quiet">
        Your text
      </label>
      <textarea id={id} rows={3} value={text} onChange={(event) => onText(event.target.value)} />
      <div className="queue-buttons">
        <button
          type="button"
          className="button small primary"
          disabled={isBusy || text.trim() === ''}
          onClick={onQueue}
        >
          Send as a new message
        </button>
        <button type="button" className="button small" onClick={() => onText(undefined)}>
          Discard
        </button>
      </div>
    </li>
  );
}
