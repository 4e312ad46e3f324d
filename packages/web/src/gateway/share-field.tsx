import { type ReactNode, useState } from 'react';
import { SettingField } from '../settings/setting-field.tsx';

/** A share as a percentage. It is saved with Enter and by leaving the field. */
export function ShareField({
  label,
  words,
  share,
  onSave,
}: {
  label: string;
  words: ReactNode;
  share: number;
  onSave: (share: number) => void;
}) {
  const percent = Math.round(share * 100);
  const [text, setText] = useState(String(percent));
  const [shown, setShown] = useState(percent);
  // It was changed elsewhere, or saved.
  if (shown !== percent) {
    setShown(percent);
    setText(String(percent));
  }
  const number = Number(text);
  const isValid = Number.isInteger(number) && number >= 1 && number <= 100;
  const save = () => {
    if (isValid && number !== percent) onSave(number / 100);
  };
  return (
    <SettingField
      label={label}
      words={isValid ? words : <span className="bad">Not saved. Enter a whole number from 1 to 100.</span>}
    >
      {(ids) => (
        <input
          {...ids}
          type="number"
          inputMode="numeric"
          min={1}
          max={100}
          value={text}
          aria-invalid={!isValid}
          onChange={({ target }) => setText(target.value)}
          onBlur={save}
          onKeyDown={({ key }) => key === 'Enter' && save()}
        />
      )}
    </SettingField>
  );
}
