import { shownModel } from '@longhaul/protocol';
import './context-panel.css';
import { useState } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';
import { formatCount, formatTokens, plural } from '../ui/format.ts';
import { CompactDialog } from './compact-dialog.tsx';
import { ContextHistory } from './context-history.tsx';
import { Pins } from './pins.tsx';
import { Spent } from './spent.tsx';
import { WindowBar } from './window-bar.tsx';

/** What fills the window, what the next compaction does, and what the earlier ones did. */
export function ContextPanel() {
  const session = useSession();
  const context = useSessionState((state) => state.context);
  const [isPreviewOpen, setPreviewOpen] = useState(false);
  if (context === undefined) return <p className="quiet">Loading…</p>;
  const { window, messages, strategy, model, isTriggerRaised } = context;
  return (
    <>
      <h2>Context</h2>
      <p className="quiet">
        {formatTokens(context.tokens)} tokens
        {window.windowTokens === undefined
          ? '. The window is not known yet.'
          : ` of ${formatTokens(window.windowTokens)}, the window of ${shownModel(model)}${windowWords(window.source)}.`}
      </p>
      <WindowBar context={context} />
      <p>
        {window.triggerTokens === undefined
          ? 'No automatic compaction.'
          : `The next compaction begins at ${formatTokens(window.triggerTokens)} tokens, with ${strategy}.`}
        {isTriggerRaised && ' That is later than usual, because the newest compaction was undone.'}
      </p>
      <p>
        {plural(messages.total, 'message')}, {formatCount(messages.hidden)} hidden from the model.
      </p>
      <button type="button" className="button" onClick={() => setPreviewOpen(true)}>
        Preview a compaction…
      </button>
      <Pins pins={context.pins} />
      <Spent />
      <ContextHistory />
      {isPreviewOpen && <CompactDialog session={session} onClose={() => setPreviewOpen(false)} />}
    </>
  );
}

/** Where the size of the window comes from. */
function windowWords(source: string): string {
  return source === 'last-run' ? ' in the last run' : '';
}
