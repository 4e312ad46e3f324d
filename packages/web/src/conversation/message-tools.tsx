import type { ListedMessage } from '@longhaul/protocol/api';
import { GitFork, Link, Pin, PinOff } from 'lucide-react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession } from '../data/use-session.ts';
import { useSessionActions } from '../sessions/session-actions.ts';
import { formatRoute } from '../shell/route.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { textOfMessage } from './message-text.ts';

/** What can be done with a message. */
export function MessageTools({ message }: { message: ListedMessage }) {
  const { client } = useServer();
  const session = useSession();
  const { visibility } = message;
  const [isPinning, togglePin] = useAction(async () => {
    const body = { target: visibility.handle };
    await (visibility.isPinned ? client.unpin(session.id, body) : client.pin(session.id, body));
    session.refreshMessages();
  });
  const actions = useSessionActions();
  const [isForking, fork] = useAction(() => {
    const named = session.store.getState().detail ?? { id: session.id, title: '', task: '' };
    return actions.fork(named, visibility.handle);
  });
  const link = () => {
    const route = { page: 'session', sessionId: session.id, message: visibility.handle } as const;
    return new URL(formatRoute(route), location.href).href;
  };
  return (
    <span className="message-tools">
      <CopyButton text={() => textOfMessage(message)} what="message" />
      <CopyButton text={link} what="link to this message" icon={Link} />
      <IconButton
        icon={visibility.isPinned ? PinOff : Pin}
        label={visibility.isPinned ? 'Unpin: a compaction may hide it' : 'Pin: no compaction hides it'}
        disabled={isPinning}
        onClick={togglePin}
      />
      <IconButton icon={GitFork} label="Fork after this message" disabled={isForking} onClick={fork} />
    </span>
  );
}
