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
import { AttachmentList } from './attachment-list.tsx';
import { historyStep } from './history.ts';
import { SendKey } from './send-key.ts';
import { useAttachments } from './use-attachments.ts';
import { useDraft } from './use-draft.ts';
import { useHandedFocus } from './use-handed-focus.ts';

export interface ComposerProps {
  placeholder: string;
  /**
   * The text is kept if this fails. Sending the same content again has the same key, so that a server which has stored
   * the message stores it once.
   */
  onSend: (content: readonly UserMessageContentPart[], idempotencyKey: string) => Promise<void>;
  /** Drafts with the same key are the same draft. Default: the draft of a new session. */
  draftKey?: string;
  /** Texts that Up shows in an empty composer, newest first. */
  history?: () => readonly string[];
  /** Buttons beside the one that sends. */
  children?: ReactNode;
}

/** Where a message is written. Enter sends, Shift-Enter begins a line. Files come by paste, by drop or by choice. */
export function Composer({
  placeholder,
  onSend,
  draftKey = 'new',
  history = () => [],
  children,
}: ComposerProps) {
  const [text, setText] = useDraft(draftKey);
  const attachments = useAttachments(draftKey);
  const [sendKey] = useState(() => new SendKey());
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useHandedFocus(field);
  const parts = attachments.list.map(({ part }) => part);
  const content: readonly UserMessageContentPart[] =
    text.trim() === '' ? parts : [{ type: 'text', text: text.trim() }, ...parts];

  const [isSending, send] = useAction(async () => {
    await onSend(content, sendKey.keyOf(content));
    sendKey.done();
    // What was typed in the meantime stays.
    setText((now) => (now.startsWith(text) ? now.slice(text.length).trimStart() : now));
    attachments.remove(attachments.list);
  });

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, currentTarget, nativeEvent } = event;
    // An input method uses Enter and the arrows to choose a word. Safari ends its composition before Enter (229).
    if (nativeEvent.isComposing || nativeEvent.keyCode === 229) return;
    if (key === 'Enter' && !shiftKey) {
      event.preventDefault();
      form.current?.requestSubmit();
    }
    const step = stepOf(event, currentTarget);
    const recalled = step === undefined ? undefined : historyStep(step, text, history());
    if (recalled === undefined) return;
    event.preventDefault();
    setText(recalled);
  };

  return (
    <form
      ref={form}
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSending && content.length > 0) send();
      }}
      {...takeFiles(attachments.add)}
    >
      <AttachmentList attachments={attachments.list} onRemove={(removed) => attachments.remove([removed])} />
      <textarea
        ref={field}
        className="composer-text"
        aria-label="Message"
        placeholder={placeholder}
        value={text}
        rows={1}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-tools">
        <FilePicker onPick={attachments.add} />
        <span className="composer-space" />
        {children}
        <button
          type="submit"
          className="button primary composer-send"
          disabled={isSending || content.length === 0}
        >
          <SendHorizontal aria-hidden size={16} /> {isSending ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  );
}

/** Up on the first line and Down on the last one, without a modifier. */
function stepOf(
  { key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent,
  { value, selectionStart, selectionEnd }: HTMLTextAreaElement,
): 'up' | 'down' | undefined {
  if (shiftKey || ctrlKey || altKey || metaKey) return undefined;
  if (key === 'ArrowUp' && !value.slice(0, selectionStart).includes('\n')) return 'up';
  return key === 'ArrowDown' && !value.slice(selectionEnd).includes('\n') ? 'down' : undefined;
}

/** Takes files that are pasted or dropped. */
function takeFiles(add: (files: readonly File[]) => void) {
  const take = (event: ClipboardEvent | DragEvent, { files }: DataTransfer) => {
    if (files.length === 0) return;
    event.preventDefault();
    add([...files]);
  };
  return {
    // Without this, the drop would be for the page around the composer.
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onPaste: (event: ClipboardEvent) => take(event, event.clipboardData),
    onDrop: (event: DragEvent) => take(event, event.dataTransfer),
  };
}

function FilePicker({ onPick }: { onPick: (files: readonly File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <IconButton icon={Paperclip} label="Attach files" onClick={() => picker.current?.click()} />
    </>
  );
}
