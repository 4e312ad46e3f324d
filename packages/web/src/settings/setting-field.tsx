import { type ReactNode, useId } from 'react';

/** A setting: its name, its control, what it means and where its value comes from. */
export function SettingField({
  label,
  words,
  origin,
  children,
}: {
  label: string;
  words: ReactNode;
  origin?: string | undefined;
  children: (ids: { id: string; 'aria-describedby': string }) => ReactNode;
}) {
  const id = useId();
  const wordsId = useId();
  return (
    <div className="setting">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': wordsId })}
      <p id={wordsId} className="quiet">
        {words}
        {origin !== undefined && <> Comes from: {origin}.</>}
      </p>
    </div>
  );
}
