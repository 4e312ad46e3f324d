import { type FormEvent, useEffect, useRef, useState } from 'react';

const MOST_CHARS = 300;

/** The title of a session as a field. Enter and leaving the field save, Escape does not. A failure keeps the text. */
export function TitleEditor({
  title,
  onSave,
  onClose,
}: {
  title: string;
  /** Returns whether the title is saved. */
  onSave: (title: string) => Promise<boolean>;
  onClose: () => void;
}) {
  const [text, setText] = useState(title);
  const [isSaving, setSaving] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const save = async (event?: FormEvent) => {
    event?.preventDefault();
    const wanted = text.trim();
    if (isSaving) return;
    if (wanted === '' || wanted === title) return onClose();
    setSaving(true);
    if (await onSave(wanted)) onClose();
    else setSaving(false);
  };
  return (
    <form className="title-editor" onSubmit={(event) => void save(event)}>
      <input
        ref={field}
        aria-label="Title of the session"
        value={text}
        maxLength={MOST_CHARS}
        readOnly={isSaving}
        // biome-ignore lint/a11y/noAutofocus: the person has asked for this field
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onClose();
        }}
      />
    </form>
  );
}
