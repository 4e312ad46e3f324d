import './diff-view.css';
import { useState } from 'react';
import { plural } from '../../ui/format.ts';
import { countChanges, type DiffLine, type FileDiff } from './diff-model.ts';

const FOLDED_LINES = 24;
/** More lines would make the page slow. */
const MAX_LINES = 3_000;

/** A change as lines with numbers and signs. A long one is folded. */
export function DiffView({ diff: { label, lines } }: { diff: FileDiff }) {
  const [isWhole, setWhole] = useState(false);
  const { added, removed } = countChanges(lines);
  const most = isWhole ? MAX_LINES : FOLDED_LINES;
  // A few more lines take no more room than the button.
  const shown = lines.length <= most + 4 ? lines : lines.slice(0, most);
  return (
    <figure className="diff">
      <figcaption className="diff-head quiet">
        {label !== undefined && <span className="diff-label">{label} </span>}
        <span>
          {plural(added, 'line')} added, {removed} removed
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide change is scrolled with the keyboard */}
      <div className="diff-lines" tabIndex={0}>
        <div className="diff-rows">
          {shown.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a change do not move
            <Line key={index} line={line} />
          ))}
        </div>
      </div>
      {shown.length < lines.length && !isWhole && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show all {plural(lines.length, 'line')}
        </button>
      )}
      {shown.length < lines.length && isWhole && (
        <p className="quiet">{plural(lines.length - shown.length, 'further line')} are not shown here.</p>
      )}
    </figure>
  );
}

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−', gap: '⋯', note: '\\' };

function Line({ line: { kind, text, before, after } }: { line: DiffLine }) {
  return (
    <div className={`diff-line ${kind}`}>
      <span className="diff-number" aria-hidden>
        {before}
      </span>
      <span className="diff-number" aria-hidden>
        {after}
      </span>
      <span className="diff-sign">{SIGNS[kind]}</span>
      <span className="diff-text">{text}</span>
    </div>
  );
}
