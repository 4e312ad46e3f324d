import { Markdown } from '../markdown/markdown.tsx';

/** What replaces hidden messages: a text of a model, and facts from the log. */
export function SummaryView({ summary }: { summary: { ledger: string; narrative: string } }) {
  const { ledger, narrative } = summary;
  return (
    <>
      <h3>Narrative</h3>
      {narrative === '' ? <p className="quiet">None.</p> : <Markdown text={narrative} isRunning={false} />}
      <h3>Ledger</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long ledger is scrolled with the keyboard */}
      <pre className="ledger" tabIndex={0}>
        {ledger}
      </pre>
    </>
  );
}
