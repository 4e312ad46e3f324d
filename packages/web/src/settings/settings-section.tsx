import { type ReactNode, useId } from 'react';

export function SettingsSection({
  title,
  problem,
  children,
}: {
  title: string;
  /** Why its content cannot be shown. */
  problem?: string | undefined;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="settings-section">
      <h2 id={id}>{title}</h2>
      {problem !== undefined && <p className="bad">{problem}</p>}
      {children}
    </section>
  );
}
