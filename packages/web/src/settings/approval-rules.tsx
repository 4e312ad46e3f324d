import { z } from '../data/zod.ts';
import { SettingTable } from './setting-table.tsx';

const rules = z.array(
  z.looseObject({
    tool: z.string(),
    command: z.string().optional(),
    path: z.string().optional(),
    action: z.string(),
  }),
);

/** The rules for calls that need an approval, in their order. */
export function ApprovalRules({ approvals }: { approvals: unknown }) {
  const found = rules.safeParse(approvals).data ?? [];
  if (found.length === 0)
    return <p>No rules. Calls are allowed in a sandbox, and need an approval outside of one.</p>;
  return (
    <>
      <p className="quiet">The last matching rule decides.</p>
      <SettingTable
        label="Rules for approvals"
        heads={['Number', 'Tool', 'Only for', 'Action']}
        rows={found.map(({ tool, command, path, action }, index) => ({
          key: String(index),
          cells: [
            index + 1,
            <code key="tool">{tool}</code>,
            <code key="for">{command ?? path ?? ''}</code>,
            action,
          ],
        }))}
      />
    </>
  );
}
