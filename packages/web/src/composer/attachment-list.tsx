import { X } from 'lucide-react';
import { IconButton } from '../ui/icon-button.tsx';
import type { Attachment } from './attachment.ts';

export function AttachmentList({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[];
  onRemove: (attachment: Attachment) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attached files">
      {attachments.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two attached files can have the same name
        <li key={`${index} ${attachment.name}`} className="attachment">
          <span className="attachment-name">{attachment.name}</span>
          <IconButton icon={X} label={`Remove ${attachment.name}`} onClick={() => onRemove(attachment)} />
        </li>
      ))}
    </ul>
  );
}
