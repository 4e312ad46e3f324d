import { parseHandle } from '@longhaul/protocol';
import type { ContextInfo } from '@longhaul/protocol/api';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { formatRoute } from '../shell/route.ts';
import { plural } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { messageExcerpt } from './message-excerpt.ts';

type Range = ContextInfo['hidden'][number]['ranges'][number];

/** Excerpts of more messages would be long to read, and are in the conversation. */
const MAX_SHOWN = 100;

/** A range of hidden messages, which opens into the beginning of each. */
export function HiddenMessages({ session, range }: { session: OpenSession; range: Range }) {
  const [isOpen, setOpen] = useState(false);
  const { from, to, count } = range;
  return (
    <details className="hidden-range" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight aria-hidden size={14} className="fold-mark" />
        {from === to ? from : `${from} to ${to}`} <span className="quiet">{plural(count, 'message')}</span>
      </summary>
      {isOpen && <Excerpts session={session} range={range} />}
    </details>
  );
}

function Excerpts({ session, range: { from, to } }: { session: OpenSession; range: Range }) {
  const { client } = useServer();
  const first = parseHandle(from)?.sequence ?? 1;
  const last = parseHandle(to)?.sequence ?? first;
  const loaded = useLoaded(`${from} ${to}`, async (signal) => {
    const limit = Math.min(MAX_SHOWN, last - first + 1);
    const page = await client.messages(session.id, { after: first - 1, limit }, { signal });
    return page.messages.filter(({ sequence }) => sequence <= last);
  });
  return (
    <LoadedView loaded={loaded}>
      {(messages) => (
        <ul className="excerpts">
          {messages.map((message) => (
            <li key={message.id}>
              <a
                href={formatRoute({
                  page: 'session',
                  sessionId: session.id,
                  message: message.visibility.handle,
                })}
              >
                {message.visibility.handle}
              </a>{' '}
              {messageExcerpt(message)}
            </li>
          ))}
          {last - first + 1 > MAX_SHOWN && <li className="quiet">The conversation shows the others.</li>}
        </ul>
      )}
    </LoadedView>
  );
}
