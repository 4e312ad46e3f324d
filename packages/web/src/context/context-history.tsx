import { useState } from 'react';
import { useServer } from '../data/server.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useSession, useSessionState } from '../data/use-session.ts';
import { formatTime, formatTokens } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { CompactionDialog } from './compaction-dialog.tsx';
import { readAllSteps } from './read-all-steps.ts';
import { StepTable } from './step-table.tsx';
import { UsageChart } from './usage-chart.tsx';

/** How the context grew and shrank over the session: a chart, the compactions, tokens and cost of each step. */
export function ContextHistory() {
  const { client } = useServer();
  const session = useSession();
  const [opened, setOpened] = useState<string>();
  const lastMessage = useSessionState(
    (state) => state.messages.findLast(({ status }) => status !== 'running')?.sequence,
  );
  const hidden = useSessionState((state) => state.context?.hidden);
  const triggerTokens = useSessionState((state) => state.context?.window.triggerTokens);
  const key = `${lastMessage} ${hidden?.map(({ compactionId }) => compactionId).join()}`;
  const loaded = useLoaded(key, async (signal) => {
    const [steps, { compactions }] = await Promise.all([
      readAllSteps(client, { sessionId: session.id, signal }),
      client.compactions.list(session.id, { signal }),
    ]);
    return { steps, compactions };
  });
  return (
    <>
      <h3>History</h3>
      <LoadedView loaded={loaded}>
        {({ steps, compactions }) => (
          <>
            <UsageChart
              steps={steps.map(({ sequence, usage }) => ({
                sequence,
                ...(usage !== undefined && { tokens: usage.inputTokens }),
              }))}
              compactedAfter={compactions
                .filter(({ undoneAt }) => undoneAt === undefined)
                .map(({ at }) => at)}
              triggerTokens={triggerTokens}
            />
            <ul className="panel-list">
              {compactions
                .toReversed()
                .map(({ id, tokensBefore, tokensAfter, createdAt, undoneAt, strategy }) => (
                  <li key={id}>
                    <span className="grow">
                      {formatTokens(tokensBefore)} → {formatTokens(tokensAfter)}{' '}
                      <span className="quiet">
                        {strategy}, {formatTime(createdAt)}
                        {undoneAt !== undefined && ', undone'}
                      </span>
                    </span>
                    <button type="button" className="button small" onClick={() => setOpened(id)}>
                      Details
                    </button>
                  </li>
                ))}
            </ul>
            <StepTable steps={steps} />
          </>
        )}
      </LoadedView>
      {opened !== undefined && (
        <CompactionDialog session={session} compactionId={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}
