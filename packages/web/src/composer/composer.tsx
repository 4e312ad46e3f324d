import './composer.css';
import type { UserMessageContentPart } from '@longhaul/protocol';
import { Paperclip, SendHorizontal } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useRef,
  useState,
} from 'react';
import { useAction } from '../data/use-action.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { type Attachment, readAttachment } from './attachment.ts';
import { AttachmentList } from './attachment-list.tsx';
import { useDraft } from './use-draft.ts';

export interface ComposerProps {
  placeholder: string;
  /** The text is kept if this fails. */
  onSend: (content: readonly UserMessageContentPart[]) => Promise<void>;
  /** Drafts with the same key are the same draft. Default: the draft of a new session. */
  draftKey?: string;
  /** Buttons beside the one that sends. */
  children?: ReactNode;
}

/** Where a message is written. Enter sends, Shift-Enter begins a line. Files come by paste, by drop or by choice. */
export function Composer({ placeholder, onSend, draftKey = 'new', children }: ComposerProps) {
  const [text, setText] = useDraft(draftKey);
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const picker = useRef<HTMLInputElement>(null);

  const [isSending, send] = useAction(async () => {
    const content = contentOf(text, attachments);
    if (content.length === 0) return;
    await onSend(content);
    setText('');
    setAttachments([]);
  });
  const [, attach] = useAction(async (files: readonly File[]) => {
    const read = await Promise.all(files.map(readAttachment));
    setAttachments((before) => [...before, ...read]);
  });

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // An input method uses Enter to choose a word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!isSending) send();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    attach([...event.clipboardData.files]);
  };
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    attach([...event.dataTransfer.files]);
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      <AttachmentList
        attachments={attachments}
        onRemove={(removed) => setAttachments((before) => before.filter((one) => one !== removed))}
      />
      <textarea
        className="composer-text"
        aria-label="Message"
        placeholder={placeholder}
        value={text}
        rows={1}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className="composer-tools">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            attach([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <IconButton icon={Paperclip} label="Attach files" onClick={() => picker.current?.click()} />
        <span className="composer-space" />
        {children}
        <button
          type="submit"
          className="button primary composer-send"
          disabled={isSending || contentOf(text, attachments).length === 0}
        >
          <SendHorizontal aria-hidden size={16} /> Send
        </button>
      </div>
    </form>
  );
}

function contentOf(text: string, attachments: readonly Attachment[]): UserMessageContentPart[] {
  const words: UserMessageContentPart[] = text.trim() === '' ? [] : [{ type: 'text', text: text.trim() }];
  return [...words, ...attachments.map(({ part }) => part)];
}
