import { PageHeader } from '../shell/page-header.tsx';

export function ReplayPage({ onOpenSide }: { onOpenSide: () => void }) {
  return <PageHeader title="Replay" onOpenSide={onOpenSide} />;
}
