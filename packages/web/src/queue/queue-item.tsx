import { originName, originOf } from '@longhaul/protocol';
import { ArrowDown, ArrowUp, Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useId } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { filesOfQueued, type QueueLine, textOfQueued } from './queue-list.ts';

interface QueueItemProps {
  line: QueueLine;
  /** How many messages wait. */
  count: number;
  isBusy: boolean;
  /** Undefined ends the edit. */
  onText: (text: string | undefined) => void;
  onSave: () => void;
  onMove: (position: number) => void;
  onRemove: () => void;
  onSendNow: () => void;
}

/** A waiting message. Alt with an arrow moves it. */
export function QueueItem(props: QueueItemProps) {
  const { line, count, isBusy, onText, onMove } = props;
  const { message, position = 1, text } = line;
  const origin = originOf(message);
  const words = textOfQueued(message);
  const files = filesOfQueued(message);
  const moveTo = (next: number) => next >= 1 && next <= count && !isBusy && onMove(next);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    moveTo(position + (event.key === 'ArrowUp' ? -1 : 1));
  };
  return (
    <li className="queue-item" onKeyDown={onKeyDown}>
      {text === undefined ? (
        <>
          {origin !== undefined && <p className="quiet">from {originName(origin)}</p>}
          <p className="queue-text">{words === '' ? '(no text)' : words}</p>
          {files !== '' && <p className="quiet">{files}</p>}
          <div className="queue-buttons">
            <IconButton
              icon={ArrowUp}
              label={`Move message ${position} up`}
              aria-disabled={isBusy || position === 1}
              onClick={() => moveTo(position - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move message ${position} down`}
              aria-disabled={isBusy || position === count}
              onClick={() => moveTo(position + 1)}
            />
            {origin === undefined && (
              <IconButton icon={Pencil} label={`Edit message ${position}`} onClick={() => onText(words)} />
            )}
            <IconButton
              icon={Trash2}
              label={`Remove message ${position}`}
              aria-disabled={isBusy}
              onClick={() => !isBusy && props.onRemove()}
            />
            <button
              type="button"
              className="button small"
              title="Ends the running step, and the agent gets the message at once"
              disabled={isBusy}
              onClick={props.onSendNow}
            >
              Send now
            </button>
          </div>
        </>
      ) : (
        <EditForm {...props} text={text} />
      )}
    </li>
  );
}

function EditForm({ line, text, isBusy, onText, onSave }: QueueItemProps & { text: string }) {
  const id = useId();
  const isEmpty = text.trim() === '' && filesOfQueued(line.message) === '';
  return (
    <form
      className="queue-edit"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !isBusy) onSave();
      }}
    >
      <label htmlFor={id} className="quiet">
        Message {line.position}
      </label>
      <textarea
        id={id}
        // biome-ignore lint/a11y/noAutofocus: the reader has just chosen to edit it
        autoFocus
        rows={3}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <div className="queue-buttons">
        <button type="submit" className="button small primary" disabled={isBusy || isEmpty}>
          Save
        </button>
        <button type="button" className="button small" onClick={() => onText(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
