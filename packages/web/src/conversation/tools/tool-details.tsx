import type { ToolOutputContent, ToolPart } from '@longhaul/protocol';
import type { ReactNode } from 'react';
import { Media } from '../media.tsx';

/** What a tool call shows when it is open, by its kind. */
export function toolDetails(part: ToolPart): ReactNode {
  return (
    <>
      {(part.output ?? []).map((content, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs do not move
        <Output key={index} content={content} />
      ))}
      {part.error !== undefined && <pre className="tool-output bad">{part.error}</pre>}
    </>
  );
}

function Output({ content }: { content: ToolOutputContent }) {
  if (content.type === 'text') return <pre className="tool-output">{content.text}</pre>;
  return (
    <Media
      data={content.data}
      mediaType={content.mediaType}
      filename={content.type === 'file' ? content.filename : undefined}
    />
  );
}
