import type { ContextInfo } from '@longhaul/protocol/api';
import { PinOff } from 'lucide-react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession } from '../data/use-session.ts';
import { formatRoute } from '../shell/route.ts';
import { IconButton } from '../ui/icon-button.tsx';

/** Messages that no compaction hides. */
export function Pins({ pins }: { pins: ContextInfo['pins'] }) {
  const { client } = useServer();
  const session = useSession();
  const [, unpin] = useAction(async (handle: string) => {
    await client.unpin(session.id, { target: handle });
    session.refreshMessages();
  });
  return (
    <>
      <h3>Pinned</h3>
      {pins.length === 0 && <p className="quiet">Pin a message to keep it in every request.</p>}
      <ul className="panel-list">
        {pins.map(({ messageId, handle, text }) => (
          <li key={messageId}>
            <a
              href={formatRoute({
                page: 'session',
                sessionId: session.id,
                panel: 'context',
                message: handle,
              })}
            >
              {handle}
            </a>
            <span className="grow">{text.slice(0, 200)}</span>
            <IconButton icon={PinOff} label={`Unpin ${handle}`} onClick={() => unpin(handle)} />
          </li>
        ))}
      </ul>
    </>
  );
}
