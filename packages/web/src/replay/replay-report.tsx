import type { ReplayReport as Report } from '@longhaul/protocol/api';
import { formatCount, plural } from '../ui/format.ts';

/** What each strategy would have kept of a recorded session, best first. */
export function ReplayReport({ report }: { report: Report }) {
  const { windows, results, notes, problem } = report;
  if (problem !== undefined)
    return (
      <p role="alert" className="bad">
        {problem}
      </p>
    );
  return (
    <>
      {windows.map((windowTokens) => (
        <Window
          key={windowTokens}
          windowTokens={windowTokens}
          results={results.filter((result) => result.windowTokens === windowTokens)}
        />
      ))}
      {notes.length > 0 && (
        <details>
          <summary>{plural(notes.length, 'note')} on what was not read</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

type Results = Report['results'];

function Window({ windowTokens, results }: { windowTokens: number; results: Results }) {
  const measured = results.filter(({ isSkipped }) => !isSkipped);
  if (measured.length === 0)
    return <p>The session fits a window of {formatCount(windowTokens)} tokens: nothing was measured.</p>;
  const sorted = measured.toSorted((a, b) => (b.farRecall ?? -1) - (a.farRecall ?? -1));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <section className="table-scroll" tabIndex={0} aria-label={`Window of ${windowTokens} tokens`}>
      <table className="replay-table">
        <caption>Window of {formatCount(windowTokens)} tokens</caption>
        <thead>
          <tr>
            <th scope="col">Strategy</th>
            <th scope="col">Far recall</th>
            <th scope="col">Recall</th>
            <th scope="col">Overflows</th>
            <th scope="col">Compactions</th>
            <th scope="col">Tokens sent</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ strategy, farRecall, recall, overflows, compactions, sentTokens }) => (
            <tr key={strategy}>
              <th scope="row">{strategy}</th>
              <td>{share(farRecall)}</td>
              <td>{share(recall)}</td>
              <td>{overflows}</td>
              <td>{compactions}</td>
              <td>{formatCount(sentTokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function share(value: number | null): string {
  return value === null ? '–' : `${(100 * value).toFixed(1)} %`;
}
