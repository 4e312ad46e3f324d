import { PanelLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/icon-button.tsx';

/** The line above every page, with the button that opens the list of sessions on narrow screens. */
export function PageHeader({
  title,
  onOpenSide,
  children,
}: {
  title: ReactNode;
  onOpenSide: () => void;
  children?: ReactNode;
}) {
  return (
    <header className="page-header">
      <IconButton icon={PanelLeft} label="Show sessions" className="only-narrow" onClick={onOpenSide} />
      {typeof title === 'string' ? <h1 className="page-title">{title}</h1> : title}
      <div className="page-tools">{children}</div>
    </header>
  );
}
