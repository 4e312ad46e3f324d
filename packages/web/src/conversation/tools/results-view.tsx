import type { ToolPart } from '@longhaul/protocol';
import { useState } from 'react';
import { plural } from '../../ui/format.ts';
import { OutputParts, outputText } from './output-parts.tsx';
import { type FoundGroup, readFound } from './result-model.ts';

const FOLDED_LINES = 30;
const MAX_LINES = 1_000;

/** What a search or a list has found. */
export function ResultsView({ part }: { part: ToolPart }) {
  const [isWhole, setWhole] = useState(false);
  if (part.state !== 'completed') return <OutputParts part={part} />;
  const { groups, remarks } = readFound(outputText(part));
  const total = groups.reduce((sum, { lines }) => sum + lines.length, 0);
  const shown = firstLines(groups, isWhole ? MAX_LINES : FOLDED_LINES);
  return (
    <div className="results">
      {shown.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results do not move
        <Group key={index} group={group} />
      ))}
      {total > FOLDED_LINES && !isWhole && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show all {plural(total, 'line')}
        </button>
      )}
      {total > MAX_LINES && isWhole && (
        <p className="quiet">{plural(total - MAX_LINES, 'further line')} are not shown here.</p>
      )}
      {remarks.map((remark) => (
        <p key={remark} className="quiet">
          {remark}
        </p>
      ))}
    </div>
  );
}

function Group({ group: { file, lines } }: { group: FoundGroup }) {
  return (
    <>
      {file !== undefined && <p className="results-file">{file}</p>}
      <ul className="results-lines">
        {lines.map(({ number, text, isContext }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: results do not move
          <li key={index} className={isContext === true ? 'quiet' : undefined}>
            {number !== undefined && <span className="results-number quiet">{number}</span>}
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function firstLines(groups: readonly FoundGroup[], most: number): FoundGroup[] {
  const shown: FoundGroup[] = [];
  let left = most;
  for (const group of groups) {
    if (left <= 0) break;
    shown.push({ ...group, lines: group.lines.slice(0, left) });
    left -= group.lines.length;
  }
  return shown;
}
