import { type Approval, isObject, visibleLine, visibleToApprove } from '@longhaul/protocol';
import type { FileDiff } from '../conversation/tools/diff-model.ts';
import { DiffView } from '../conversation/tools/diff-view.tsx';
import { diffsOfCall } from '../conversation/tools/diffs-of-call.ts';

/** What the agent wants to do: the command, the change, or the arguments. No character of them is invisible. */
export function ApprovalSubject({ approval: { toolName, args } }: { approval: Approval }) {
  const command = isObject(args) && typeof args['command'] === 'string' ? args['command'] : undefined;
  const diffs = diffsOfCall({ input: args }).map(visibleDiff);
  return (
    <>
      <p>
        The agent asks for the tool <code>{visibleLine(toolName)}</code>.
      </p>
      {command !== undefined && <pre className="approval-command">{visibleToApprove(command)}</pre>}
      {diffs.map((diff, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a call do not move
        <DiffView key={index} diff={diff} />
      ))}
      {command === undefined && diffs.length === 0 && (
        <pre className="approval-command">{visibleToApprove(JSON.stringify(args, undefined, 2))}</pre>
      )}
    </>
  );
}

/** Tabs are usual in code, and stay. */
function visibleDiff({ label, lines }: FileDiff): FileDiff {
  const shown = (text: string) => text.split('\t').map(visibleToApprove).join('\t');
  return {
    label: label && visibleLine(label),
    lines: lines.map((line) => ({ ...line, text: shown(line.text) })),
  };
}
