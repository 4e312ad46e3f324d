import { PageHeader } from '../shell/page-header.tsx';

export function SettingsPage({ onOpenSide }: { onOpenSide: () => void }) {
  return <PageHeader title="Settings" onOpenSide={onOpenSide} />;
}
