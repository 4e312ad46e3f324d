import './context-panel.css';
import type { ResponseOf } from '@longhaul/protocol/api';
import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { formatTime, formatTokens, plural } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { Modal } from '../ui/modal.tsx';
import { HiddenMessages } from './hidden-messages.tsx';
import { SummaryView } from './summary-view.tsx';
import { UndoCompaction } from './undo-compaction.tsx';

const REASONS = {
  threshold: 'the context had reached its trigger',
  overflow: 'the request did not fit the window',
  'tool-results': 'the results of tools did not fit',
  stream: 'an answer did not fit',
  manual: 'somebody asked for it',
  model: 'the model had finished a phase of its work',
} as const;

/** A compaction: what it hid, and what replaces it. */
export function CompactionDialog({
  session,
  compactionId,
  onClose,
}: {
  session: OpenSession;
  compactionId: string;
  onClose: () => void;
}) {
  const { client } = useServer();
  const loaded = useLoaded(compactionId, (signal) =>
    client.compactions.get(session.id, compactionId, { signal }),
  );
  return (
    <Modal title="Compaction" isOpen onClose={onClose} size="wide">
      <LoadedView loaded={loaded}>
        {(compaction) => <Details session={session} compaction={compaction} onClose={onClose} />}
      </LoadedView>
    </Modal>
  );
}

function Details({
  session,
  compaction,
  onClose,
}: {
  session: OpenSession;
  compaction: ResponseOf<'getCompaction'>;
  onClose: () => void;
}) {
  const { round, strategy, reason, tokensBefore, tokensAfter, createdAt, count, ranges, undoneAt, summary } =
    compaction;
  return (
    <>
      <p>
        <strong>
          {formatTokens(tokensBefore)} → {formatTokens(tokensAfter)} tokens.
        </strong>{' '}
        Round {round}, {formatTime(createdAt)}, strategy {strategy}, because {REASONS[reason]}.
      </p>
      {undoneAt !== undefined && <p className="warn">Undone {formatTime(undoneAt)}.</p>}
      <SummaryView summary={summary} />
      <h3>{plural(count, 'hidden message')}</h3>
      {ranges.map((range) => (
        <HiddenMessages key={range.from} session={session} range={range} />
      ))}
      {compaction.isActive && <UndoCompaction session={session} onUndone={onClose} />}
    </>
  );
}
