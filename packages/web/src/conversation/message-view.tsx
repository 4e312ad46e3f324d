import type { ListedMessage } from '@longhaul/protocol/api';
import { useLiveTexts } from '../data/use-session.ts';
import { formatTime } from '../ui/format.ts';
import { MessageTools } from './message-tools.tsx';
import { PartView } from './part-view.tsx';

/** One message, with its parts in order. Messages that the model no longer sees stay readable and are marked. */
export function MessageView({ message, isLinked }: { message: ListedMessage; isLinked: boolean }) {
  const { role, parts, createdAt, visibility, metadata, status } = message;
  const isHidden = visibility.hiddenBy !== undefined;
  const className = [
    'message',
    metadata?.synthetic === undefined ? role : 'synthetic',
    isHidden && 'is-hidden',
    visibility.isReverted && 'is-reverted',
    isLinked && 'is-linked',
  ];
  return (
    <article className={className.filter(Boolean).join(' ')} aria-label={labelOf(message)}>
      <header className="message-head quiet">
        <span className="message-role">{roleOf(message)}</span>
        <span>{formatTime(createdAt)}</span>
        {isHidden && <span className="message-mark">hidden from the model</span>}
        {visibility.isReverted && <span className="message-mark">reverted</span>}
        {visibility.isPinned && <span className="message-mark">pinned</span>}
        <MessageTools message={message} />
      </header>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index of a part is its identity
        <PartView key={index} part={part} index={index} message={message} />
      ))}
      {status === 'running' && <LiveParts message={message} />}
    </article>
  );
}

/** Parts that are being written and are not stored yet. */
function LiveParts({ message }: { message: ListedMessage }) {
  const texts = useLiveTexts();
  return texts
    .filter(({ messageId, partIndex }) => messageId === message.id && partIndex >= message.parts.length)
    .map(({ partIndex, kind, text }) => (
      <PartView
        key={partIndex}
        part={{ type: kind, text, state: 'running' }}
        index={partIndex}
        message={message}
      />
    ));
}

function roleOf({ role, metadata }: ListedMessage): string {
  if (metadata?.synthetic !== undefined) return 'Longhaul';
  return role === 'user' ? 'You' : 'Agent';
}

function labelOf(message: ListedMessage): string {
  return `${roleOf(message)}, message ${message.sequence}`;
}
