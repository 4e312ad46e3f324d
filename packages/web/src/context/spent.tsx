import { useServer } from '../data/server.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useSession, useSessionState } from '../data/use-session.ts';
import { formatTime } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { type SpentRow, spentRows } from './spent-rows.ts';

/** What the session and today's model calls have cost, and what is left of budgets. */
export function Spent() {
  const { client } = useServer();
  const session = useSession();
  const lastMessage = useSessionState(
    (state) => state.messages.findLast(({ status }) => status !== 'running')?.sequence,
  );
  const isRunning = useSessionState((state) => state.isRunning);
  const loaded = useLoaded(`${session.id} ${lastMessage} ${isRunning}`, async (signal) => {
    const [own, days] = await Promise.all([
      client.usage({ by: '', sessionId: session.id }, { signal }),
      client.usage({ by: 'day', limit: '1' }, { signal }),
    ]);
    return spentRows(own, days);
  });
  return (
    <>
      <h3>Spent</h3>
      <LoadedView loaded={loaded}>
        {(rows) => (
          <ul className="panel-list spent-list" aria-label="Spent">
            {rows.map((row) => (
              <SpentLine key={row.name} row={row} />
            ))}
          </ul>
        )}
      </LoadedView>
    </>
  );
}

function SpentLine({ row: { name, amounts, renewsAt } }: { row: SpentRow }) {
  return (
    <li>
      <span className="grow">
        {name}
        {renewsAt !== undefined && <span className="quiet"> until {formatTime(renewsAt)}</span>}
      </span>
      <span className="spent-amounts">
        {amounts.map(({ text, percent }) => (
          <span key={text} className={percent !== undefined && percent >= 80 ? 'warn' : undefined}>
            {percent !== undefined && (
              <meter
                min={0}
                max={100}
                low={80}
                high={99}
                optimum={0}
                value={Math.min(100, percent)}
                aria-hidden
                tabIndex={-1}
              />
            )}{' '}
            {text}
          </span>
        ))}
      </span>
    </li>
  );
}
