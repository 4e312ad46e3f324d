import './queue.css';
import { type Dispatch, type SetStateAction, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession, useSessionState } from '../data/use-session.ts';
import { Modal } from '../ui/modal.tsx';
import { GoneItem } from './gone-item.tsx';
import { QueueItem } from './queue-item.tsx';
import { type Edits, type QueueLine, queueLines, withText } from './queue-list.ts';

interface QueueDialogProps {
  edits: Edits;
  setEdits: Dispatch<SetStateAction<Edits>>;
  onClose: () => void;
}

/** The waiting messages in the order in which the agent gets them. */
export function QueueDialog({ edits, setEdits, onClose }: QueueDialogProps) {
  const queue = useSessionState((state) => state.queue);
  const isRunning = useSessionState((state) => state.isRunning);
  const [said, say] = useState('');
  const { isBusy, save, move, remove, sendNow, queueAgain } = useQueueActions(say);
  const setText = (line: QueueLine, text: string | undefined) =>
    setEdits((before) => {
      const next = new Map(before);
      if (text === undefined) next.delete(line.message.id);
      else next.set(line.message.id, { text, message: line.message });
      return next;
    });
  const lines = queueLines(queue, edits);
  return (
    <Modal title="Queued messages" isOpen onClose={onClose}>
      <p className="quiet">
        {isRunning
          ? 'The agent gets them before its next step, in this order.'
          : 'They wait for the next run, in this order.'}
      </p>
      <p role="status" className="only-read">
        {said}
      </p>
      {lines.length === 0 && <p>No message waits.</p>}
      <ol className="queue-list">
        {lines.map((line) =>
          line.position === undefined ? (
            <GoneItem
              key={line.message.id}
              line={line}
              isBusy={isBusy}
              onText={(text) => setText(line, text)}
              onQueue={() => queueAgain(line, () => setText(line, undefined))}
            />
          ) : (
            <QueueItem
              key={line.message.id}
              line={line}
              count={queue.length}
              isBusy={isBusy}
              onText={(text) => setText(line, text)}
              onSave={() => save(line, () => setText(line, undefined))}
              onMove={(position) => move(line, position)}
              onRemove={() => remove(line, () => setText(line, undefined))}
              onSendNow={() => sendNow(line)}
            />
          ),
        )}
      </ol>
    </Modal>
  );
}

/** What can be done with waiting messages. Each reads the queue again, also if it failed. */
function useQueueActions(say: (words: string) => void) {
  const { client } = useServer();
  const session = useSession();
  const [isBusy, run] = useAction(async (work: () => Promise<unknown>, words: string) => {
    try {
      await work();
      say(words);
    } finally {
      session.refresh();
    }
  });
  return {
    isBusy,
    save: (line: QueueLine, onDone: () => void) =>
      run(async () => {
        await client.queue.edit(session.id, line.message.id, withText(line.message, line.text ?? ''));
        onDone();
      }, 'The message is changed.'),
    move: (line: QueueLine, position: number) =>
      run(
        () => client.queue.move(session.id, line.message.id, position),
        `The message is number ${position} now.`,
      ),
    remove: (line: QueueLine, onDone: () => void) =>
      run(async () => {
        await client.queue.remove(session.id, line.message.id);
        onDone();
      }, 'The message is removed.'),
    sendNow: (line: QueueLine) =>
      run(() => client.queue.send(session.id, line.message.id), 'The message is sent.'),
    queueAgain: (line: QueueLine, onDone: () => void) =>
      run(async () => {
        await client.sendMessage(session.id, withText(line.message, line.text ?? ''));
        onDone();
      }, 'The text is sent as a new message.'),
  };
}
