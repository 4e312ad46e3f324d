import type { ToolOutputContent, ToolPart } from '@longhaul/protocol';
import { Media } from '../media.tsx';
import { TextOutput } from './text-output.tsx';

/** Everything that a tool returned, in order. */
export function OutputParts({ part }: { part: ToolPart }) {
  const output = part.output ?? [];
  const lastText = output.findLastIndex(({ type }) => type === 'text');
  return output.map((content, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: outputs do not move
    <Output key={index} content={content} full={index === lastText ? part.fullOutput : undefined} />
  ));
}

/** The images and files that a tool returned. */
export function MediaParts({ part }: { part: ToolPart }) {
  return (part.output ?? []).map((content, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: outputs do not move
    content.type === 'text' ? null : <Output key={index} content={content} full={undefined} />,
  );
}

/** The texts that a tool returned, as one. */
export function outputText({ output = [] }: ToolPart): string {
  return output.flatMap((content) => (content.type === 'text' ? content.text : [])).join('\n');
}

function Output({ content, full }: { content: ToolOutputContent; full: string | undefined }) {
  if (content.type === 'text') return <TextOutput text={content.text} full={full} />;
  return (
    <div className="tool-media">
      <Media
        data={content.data}
        mediaType={content.mediaType}
        filename={content.type === 'file' ? content.filename : undefined}
      />
    </div>
  );
}
