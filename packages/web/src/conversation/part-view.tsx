import type { Part } from '@longhaul/protocol';
import { describePatch } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { useLiveTexts } from '../data/use-session.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Media } from './media.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolView } from './tool-view.tsx';

interface PartViewProps {
  part: Part;
  index: number;
  message: ListedMessage;
}

/** One part of a message. */
export function PartView({ part, index, message }: PartViewProps) {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.state === 'running' ? (
        <RunningText part={part} index={index} message={message} />
      ) : (
        <Text type={part.type} text={part.text} isRunning={false} role={message.role} />
      );
    case 'tool':
      return <ToolView part={part} />;
    case 'file':
      return <Media data={part.data} mediaType={part.mediaType} filename={part.filename} />;
    case 'notice':
      return <p className="part-notice quiet">{part.text}</p>;
    case 'patch':
      return part.before === undefined ? null : (
        <p className="part-patch quiet">Files: {describePatch(part)}</p>
      );
  }
}

/** Text that may be further than its stored state. */
function RunningText({
  part,
  index,
  message,
}: PartViewProps & { part: Extract<Part, { type: 'text' | 'reasoning' }> }) {
  const live = useLiveTexts().find(
    ({ messageId, partIndex }) => messageId === message.id && partIndex === index,
  );
  const text = live !== undefined && live.text.length > part.text.length ? live.text : part.text;
  return <Text type={part.type} text={text} isRunning role={message.role} />;
}

interface TextProps {
  type: 'text' | 'reasoning';
  text: string;
  isRunning: boolean;
  role: ListedMessage['role'];
}

function Text({ type, text, isRunning, role }: TextProps) {
  if (type === 'reasoning') return <Reasoning text={text} isRunning={isRunning} />;
  if (role === 'user') return <p className="part-said">{text}</p>;
  return <Markdown text={text} isRunning={isRunning} />;
}
