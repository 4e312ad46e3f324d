import { useEffect, useRef, useState } from 'react';
import { useSession } from '../data/use-session.ts';
import { textOfMessage } from './message-text.ts';

const MAX_CHARS = 500;

/** Says to screen readers what the agent has answered, once the answer is whole. */
export function AnswerAnnouncer() {
  const { store } = useSession();
  const [said, setSaid] = useState('');
  const running = useRef<string>(undefined);
  useEffect(
    () =>
      store.subscribe(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role !== 'assistant') return;
        if (last.status === 'running') running.current = last.id;
        else if (running.current === last.id) {
          running.current = undefined;
          const text = textOfMessage(last);
          if (text !== '') setSaid(text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);
        }
      }),
    [store],
  );
  return (
    <div role="status" className="only-read">
      {said !== '' && `Agent: ${said}`}
    </div>
  );
}
