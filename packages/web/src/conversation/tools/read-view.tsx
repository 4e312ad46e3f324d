import type { ToolPart } from '@longhaul/protocol';
import { languageOfPath } from '../../markdown/highlight/language-names.ts';
import { Highlighted } from '../../markdown/highlighted.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MediaParts, OutputParts, outputText } from './output-parts.tsx';
import { readFilePage } from './read-model.ts';
import { pathOf } from './tool-kind.ts';

/** A file that the agent has read: its lines with numbers, or the image. */
export function ReadView({ part }: { part: ToolPart }) {
  const page = part.state === 'completed' ? readFilePage(outputText(part)) : undefined;
  if (page === undefined) return <OutputParts part={part} />;
  const { firstLine, lineCount, text, remarks } = page;
  const numbers = Array.from({ length: lineCount }, (_, index) => firstLine + index);
  return (
    <>
      <div className="file-page">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long files are scrolled with the keyboard */}
        <div className="file-lines" tabIndex={0}>
          <pre className="file-numbers quiet" aria-hidden>
            {numbers.join('\n')}
          </pre>
          <pre>
            <Highlighted code={text} language={languageOfPath(pathOf(part) ?? '')} />
          </pre>
        </div>
        <CopyButton text={text} what="text" />
      </div>
      {remarks.map((remark) => (
        <p key={remark} className="tool-note quiet">
          {remark}
        </p>
      ))}
      <MediaParts part={part} />
    </>
  );
}
