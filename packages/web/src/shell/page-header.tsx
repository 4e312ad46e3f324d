import { PanelLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { useDocumentTitle } from './document-title.ts';

interface PageHeaderProps {
  /** A text is also the title of the tab. Others set it themselves. */
  title: ReactNode;
  onOpenSide: () => void;
  children?: ReactNode;
}

/** The line above every page, with the button that opens the list of sessions on narrow screens. */
export function PageHeader({ title, onOpenSide, children }: PageHeaderProps) {
  return (
    <header className="page-header">
      <IconButton icon={PanelLeft} label="Show sessions" className="only-narrow" onClick={onOpenSide} />
      {typeof title === 'string' ? <TextTitle title={title} /> : title}
      <div className="page-tools">{children}</div>
    </header>
  );
}

function TextTitle({ title }: { title: string }) {
  useDocumentTitle({ name: title });
  return <h1 className="page-title">{title}</h1>;
}
