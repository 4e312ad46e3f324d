import { FileText, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatBytes } from '../ui/format.ts';
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
      {attachments.map((attachment) => (
        <li key={attachment.id} className="attachment">
          {attachment.image === undefined ? (
            <FileText aria-hidden size={18} />
          ) : (
            <Preview image={attachment.image} />
          )}
          <span className="attachment-name">{attachment.name}</span>
          <span className="quiet">{formatBytes(attachment.bytes)}</span>
          <IconButton icon={X} label={`Remove ${attachment.name}`} onClick={() => onRemove(attachment)} />
        </li>
      ))}
    </ul>
  );
}

function Preview({ image }: { image: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(image);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  return url === undefined ? null : <img className="attachment-preview" src={url} alt="" />;
}
