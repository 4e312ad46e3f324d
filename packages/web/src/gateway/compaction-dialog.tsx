import type { CompactionDetail, PageCompaction } from '@longhaul/protocol/gateway-page';
import { useEffect, useState } from 'react';
import { formatCount, plural } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import type { GatewayServer } from './gateway-server.ts';

/** What a compaction replaced, what it kept, and its summary. All texts are shown as they are. */
export function CompactionDialog({
  compaction,
  server,
  onClose,
}: {
  compaction: PageCompaction;
  server: GatewayServer;
  onClose: () => void;
}) {
  const { id, before, after, kept, hidden, isByModel, isFromCache } = compaction;
  const [detail, setDetail] = useState<CompactionDetail>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isShown = true;
    server.compaction(id).then(
      (read) => isShown && setDetail(read),
      (error: Error) => isShown && setProblem(error.message),
    );
    return () => {
      isShown = false;
    };
  }, [id, server]);
  return (
    <Modal
      title={`Compaction: ${formatCount(before)} → ${formatCount(after)} tokens`}
      isOpen
      onClose={onClose}
      size="wide"
    >
      <p>
        A summary {isByModel ? 'by a model' : 'of computed facts alone'} replaces {plural(hidden, 'message')}.{' '}
        {plural(kept, 'message')} {kept === 1 ? 'was' : 'were'} kept unchanged.
        {isFromCache && ' It was made earlier, and read from the database.'}
      </p>
      {problem !== undefined && (
        <p role="alert" className="bad">
          {problem}
        </p>
      )}
      {detail === undefined ? (
        problem === undefined && <p className="quiet">Loading…</p>
      ) : (
        <Detail {...detail} />
      )}
    </Modal>
  );
}

function Detail({ narrative, ledger, keptMessages, kept }: CompactionDetail) {
  return (
    <>
      <h3>Narrative</h3>
      {narrative === '' ? <p className="quiet">None.</p> : <Text text={narrative} label="Narrative" />}
      <h3>Ledger</h3>
      {ledger === '' ? <p className="quiet">None.</p> : <Text text={ledger} label="Ledger" />}
      <h3>Kept messages</h3>
      {keptMessages.length < kept && (
        <p className="quiet">
          The newest {keptMessages.length} of {formatCount(kept)}.
        </p>
      )}
      <ol className="kept">
        {keptMessages.map(({ role, excerpt }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>
            <b>{role}</b> <span>{excerpt}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Text({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard
    <section className="summary-text" tabIndex={0} aria-label={label}>
      {text}
    </section>
  );
}
