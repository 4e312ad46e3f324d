import { originName, originsOf, type Part } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { useLiveParts } from '../data/use-session.ts';
import { formatTime } from '../ui/format.ts';
import { MessageTools } from './message-tools.tsx';
import { PartView } from './part-view.tsx';

/** One message, with its parts in order. Messages that the model no longer sees stay readable and are marked. */
export function MessageView({ message, isLinked }: { message: ListedMessage; isLinked: boolean }) {
  const { role, createdAt, visibility, metadata } = message;
  const parts = useParts(message);
  const className = [
    'message',
    metadata?.synthetic === undefined ? role : 'synthetic',
    metadata?.synthetic === 'sent' && 'is-sent',
    visibility.hiddenBy !== undefined && 'is-hidden',
    visibility.isReverted && 'is-reverted',
    isLinked && 'is-linked',
  ];
  return (
    <article
      className={className.filter(Boolean).join(' ')}
      aria-label={`${roleOf(message)}, message ${message.sequence}`}
      aria-current={isLinked ? 'location' : undefined}
    >
      <header className="message-head quiet">
        <span className="message-role">{roleOf(message)}</span>
        <span>{formatTime(createdAt)}</span>
        {marksOf(message).map((mark) => (
          <span key={mark} className="message-mark">
            {mark}
          </span>
        ))}
        <MessageTools message={message} />
      </header>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index of a part is its identity
        <PartView key={index} part={part} index={index} message={message} />
      ))}
    </article>
  );
}

/** The stored parts, and those that are being written and are not stored yet. */
function useParts(message: ListedMessage): readonly Part[] {
  const live = useLiveParts(message.id);
  if (message.status !== 'running') return message.parts;
  const begun = live
    .filter(({ partIndex }) => partIndex >= message.parts.length)
    .map(({ kind }): Part => ({ type: kind, text: '', state: 'running' }));
  return [...message.parts, ...begun];
}

function marksOf({ visibility, status, metadata, finishReason }: ListedMessage): string[] {
  return [
    visibility.hiddenBy !== undefined && 'hidden from the model by a compaction',
    metadata?.synthetic === 'refused' && 'refused by a hook, so the model does not see it',
    visibility.isReverted === true && 'reverted',
    visibility.isPinned && 'pinned',
    status === 'interrupted' && 'interrupted',
    status === 'failed' && 'failed',
    finishReason === 'length' && 'cut off at the length limit',
    metadata?.coalesced === true && `${metadata.messageCount ?? 'several'} queued messages`,
  ].filter((mark) => mark !== false);
}

function roleOf(message: ListedMessage): string {
  const { role, metadata } = message;
  const names = new Set(originsOf(message).map(originName));
  if (names.size > 0) return [...names].join(', ');
  if (metadata?.synthetic !== undefined && metadata.synthetic !== 'refused') return 'Longhaul';
  return role === 'user' ? 'You' : 'Agent';
}
