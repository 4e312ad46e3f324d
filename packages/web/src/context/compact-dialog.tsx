import { toLonghaulError } from '@longhaul/protocol';
import type { CompactResult } from '@longhaul/protocol/api';
import { useEffect, useId, useState } from 'react';
import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { formatTokens, plural } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { useNotify } from '../ui/toasts.tsx';
import { HiddenRanges } from './hidden-ranges.tsx';
import { SummaryView } from './summary-view.tsx';

type Preview = Extract<CompactResult, { status: 'preview' }>;
type Shown =
  | { state: 'loading' }
  | { state: 'preview'; preview: Preview }
  | { state: 'nothing'; words: string };

/** Shows what a compaction would hide and keep, before it is made. */
export function CompactDialog({ session, onClose }: { session: OpenSession; onClose: () => void }) {
  const { client } = useServer();
  const notify = useNotify();
  const focusId = useId();
  const [focus, setFocus] = useState('');
  const [shown, setShown] = useState<Shown>({ state: 'loading' });
  useEffect(() => {
    const ends = new AbortController();
    client
      .compact(session.id, { preview: true }, { signal: ends.signal })
      .then((result) => setShown(shownOf(result)))
      .catch((error: unknown) => {
        if (!ends.signal.aborted) setShown({ state: 'nothing', words: toLonghaulError(error).message });
      });
    return () => ends.abort();
  }, [client, session]);

  const [isCompacting, compact] = useAction(async () => {
    const body = focus.trim() === '' ? {} : { focus: focus.trim() };
    const result = await client.compact(session.id, body);
    session.refreshMessages();
    onClose();
    if (result.status === 'queued')
      notify({ kind: 'plain', title: 'The compaction runs before the next step of the agent.' });
    if (result.status === 'nothing') notify({ kind: 'plain', title: 'There was nothing to compact.' });
  });

  return (
    <Modal title="Compact the context" isOpen onClose={onClose} size="wide">
      {shown.state === 'loading' && <p role="status">Checking what would be hidden…</p>}
      {shown.state === 'nothing' && <p role="status">{shown.words}</p>}
      {shown.state === 'preview' && <PreviewView preview={shown.preview} sessionId={session.id} />}
      <label htmlFor={focusId}>What the summary should keep in particular (optional)</label>
      <textarea
        id={focusId}
        rows={2}
        maxLength={2_000}
        className="compact-focus"
        value={focus}
        onChange={(event) => setFocus(event.target.value)}
      />
      <div className="modal-buttons">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button primary"
          disabled={isCompacting || shown.state !== 'preview'}
          onClick={compact}
        >
          {isCompacting ? 'Compacting…' : 'Compact now'}
        </button>
      </div>
    </Modal>
  );
}

function PreviewView({ preview, sessionId }: { preview: Preview; sessionId: string }) {
  const { tokensBefore, tokensAfter, hides, pruned, cut, summary, warnings } = preview;
  return (
    <>
      <p>
        <strong>
          {formatTokens(tokensBefore)} → {formatTokens(tokensAfter)} tokens.
        </strong>{' '}
        Hides {plural(hides.count, 'message')}
        {pruned > 0 && `, shortens ${plural(pruned, 'old output')}`}
        {cut > 0 && `, cuts ${plural(cut, 'long part')}`}. The messages stay readable here.
      </p>
      {warnings.map((warning) => (
        <p key={warning} className="warn">
          {warning}
        </p>
      ))}
      <HiddenRanges ranges={hides.ranges} sessionId={sessionId} />
      <SummaryView summary={summary} />
    </>
  );
}

function shownOf(result: CompactResult): Shown {
  if (result.status === 'preview') return { state: 'preview', preview: result };
  return { state: 'nothing', words: 'There is nothing to compact yet.' };
}
