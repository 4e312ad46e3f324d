import { PageHeader } from './page-header.tsx';
import { formatRoute } from './route.ts';

interface UnknownPageProps {
  named: 'session' | 'page';
  onOpenSide: () => void;
}

/** Shown for an address that names nothing. */
export function UnknownPage({ named, onOpenSide }: UnknownPageProps) {
  return (
    <>
      <PageHeader title={named === 'session' ? 'Session' : 'Page not found'} onOpenSide={onOpenSide} />
      <div className="page-body">
        <p role="alert">{named === 'session' ? MISSING_SESSION : 'This page does not exist.'}</p>
        <p>
          <a href={formatRoute({ page: 'home' })}>Go to the sessions</a>
        </p>
      </div>
    </>
  );
}

export const MISSING_SESSION = 'This session does not exist, or was deleted.';
