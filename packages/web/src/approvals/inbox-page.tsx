import { PageHeader } from '../shell/page-header.tsx';

export function InboxPage({ onOpenSide }: { onOpenSide: () => void }) {
  return <PageHeader title="Approvals" onOpenSide={onOpenSide} />;
}
