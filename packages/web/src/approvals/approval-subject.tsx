import { type Approval, isObject } from '@longhaul/protocol';
import { DiffView } from '../conversation/tools/diff-view.tsx';
import { diffsOfCall } from '../conversation/tools/diffs-of-call.ts';

/** What the agent wants to do: the command, the change, or the arguments. */
export function ApprovalSubject({ approval: { toolName, args } }: { approval: Approval }) {
  const command = isObject(args) && typeof args['command'] === 'string' ? args['command'] : undefined;
  const diffs = diffsOfCall({ input: args });
  return (
    <>
      <p>
        The agent asks for the tool <code>{toolName}</code>.
      </p>
      {command !== undefined && <pre className="approval-command">{command}</pre>}
      {diffs.map((diff, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a call do not move
        <DiffView key={index} diff={diff} />
      ))}
      {command === undefined && diffs.length === 0 && (
        <pre className="approval-command">{JSON.stringify(args, undefined, 2)}</pre>
      )}
    </>
  );
}
