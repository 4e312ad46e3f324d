import type { Part } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { useLiveText, useSession } from '../data/use-session.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Media } from './media.tsx';
import { PartMark } from './part-mark.tsx';
import { PatchLine } from './patch-line.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolView } from './tools/tool-view.tsx';

interface PartViewProps {
  part: Part;
  index: number;
  message: ListedMessage;
}

/** One part of a message, with what the model does not see of it. */
export function PartView(props: PartViewProps) {
  return (
    <>
      <PartContent {...props} />
      <PartMark visibility={props.message.visibility} index={props.index} />
    </>
  );
}

function PartContent({ part, index, message }: PartViewProps) {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return <TextPartView part={part} index={index} message={message} />;
    case 'tool':
      return <ToolView part={part} />;
    case 'file':
      return <Media data={part.data} mediaType={part.mediaType} filename={part.filename} />;
    case 'notice':
      return <p className="part-notice quiet">{part.text}</p>;
    case 'patch':
      return <PatchLine patch={part} handle={message.visibility.handle} />;
  }
}

/** Text that may be further than its stored state. The same component until its end, so that nothing is read again. */
function TextPartView({
  part: { type, text: stored, state },
  index,
  message,
}: PartViewProps & { part: Extract<Part, { type: 'text' | 'reasoning' }> }) {
  const live = useLiveText(message.id, index);
  const isRunning = state === 'running';
  const text = isRunning && live !== undefined && live.length > stored.length ? live : stored;
  const durationMs = useSession().live.durationOf(message.id, index);
  if (type === 'reasoning') return <Reasoning text={text} isRunning={isRunning} durationMs={durationMs} />;
  if (message.role === 'user') return <p className="part-said">{text}</p>;
  return <Markdown text={text} isRunning={isRunning} />;
}
