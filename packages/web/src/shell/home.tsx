import { NewSession } from '../sessions/new/new-session.tsx';
import { PageHeader } from './page-header.tsx';

/** What is shown before a session is chosen: the first message of a new one. */
export function Home({ onOpenSide }: { onOpenSide: () => void }) {
  return (
    <>
      <PageHeader title="New session" onOpenSide={onOpenSide} />
      <NewSession />
    </>
  );
}
