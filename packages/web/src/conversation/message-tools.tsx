import type { ListedMessage } from '@longhaul/protocol/api';
import { Copy, Link, Pin, PinOff } from 'lucide-react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession } from '../data/use-session.ts';
import { formatRoute } from '../shell/route.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useNotify } from '../ui/toasts.tsx';

/** What can be done with a message. */
export function MessageTools({ message }: { message: ListedMessage }) {
  const { client } = useServer();
  const session = useSession();
  const notify = useNotify();
  const { visibility } = message;
  const [, copy] = useAction(async (text: string, what: string) => {
    await navigator.clipboard.writeText(text);
    notify({ kind: 'good', title: `${what} copied`, key: 'copied' });
  });
  const [, togglePin] = useAction(async () => {
    const body = { target: visibility.handle };
    await (visibility.isPinned ? client.unpin(session.id, body) : client.pin(session.id, body));
    session.refreshMessages();
  });
  const link = () => {
    const route = { page: 'session', sessionId: session.id, message: visibility.handle } as const;
    return new URL(formatRoute(route), location.href).href;
  };
  return (
    <span className="message-tools">
      <IconButton icon={Copy} label="Copy message" onClick={() => copy(textOf(message), 'Message')} />
      <IconButton icon={Link} label="Copy link" onClick={() => copy(link(), 'Link')} />
      <IconButton
        icon={visibility.isPinned ? PinOff : Pin}
        label={visibility.isPinned ? 'Unpin: a compaction may hide it' : 'Pin: no compaction hides it'}
        onClick={togglePin}
      />
    </span>
  );
}

function textOf({ parts }: ListedMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
}
