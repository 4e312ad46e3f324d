import { memo } from 'react';
import { CompactionLine } from '../context/compaction-line.tsx';
import { MessageView } from './message-view.tsx';
import type { Row } from './rows.ts';

export const RowView = memo(function RowView({ row, isLinked }: { row: Row; isLinked: boolean }) {
  if (row.kind === 'compaction') return <CompactionLine compaction={row.compaction} />;
  return <MessageView message={row.message} isLinked={isLinked} />;
}, isSameRow);

function isSameRow(a: { row: Row; isLinked: boolean }, b: { row: Row; isLinked: boolean }): boolean {
  if (a.isLinked !== b.isLinked || a.row.key !== b.row.key) return false;
  if (a.row.kind === 'message' && b.row.kind === 'message') return a.row.message === b.row.message;
  return a.row.kind === b.row.kind;
}
