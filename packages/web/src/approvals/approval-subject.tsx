import { type Approval, isObject, type JsonValue, visibleLine, visibleToApprove } from '@longhaul/protocol';
import type { FileDiff } from '../conversation/tools/diff-model.ts';
import { DiffView } from '../conversation/tools/diff-view.tsx';
import { argumentsBesideDiffs, diffsOfCall } from '../conversation/tools/diffs-of-call.ts';

/** What the agent wants to do: the command, the change, or the arguments. No character of them is invisible. */
export function ApprovalSubject({ approval: { toolName, args, child } }: { approval: Approval }) {
  const command = isObject(args) && typeof args['command'] === 'string' ? args['command'] : undefined;
  const diffs = diffsOfCall({ input: args }).map(visibleDiff);
  const others = argumentsBesideDiffs(args).filter(([name]) => command === undefined || name !== 'command');
  const isAnyShown = command !== undefined || diffs.length > 0;
  return (
    <>
      <p>
        {child === undefined
          ? 'The agent asks'
          : `The subtask “${visibleLine(child.title)}” (${visibleLine(child.agent)}) asks`}{' '}
        for the tool <code>{visibleLine(toolName)}</code>.
      </p>
      {command !== undefined && <pre className="approval-command">{visibleToApprove(command)}</pre>}
      {isAnyShown &&
        others.map(([name, value]) => (
          <p key={name} className="approval-argument">
            <span className="quiet">{visibleLine(name)}: </span>
            <code>{visibleToApprove(wordsOf(value))}</code>
          </p>
        ))}
      {diffs.map((diff, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a call do not move
        <DiffView key={index} diff={diff} />
      ))}
      {!isAnyShown && (
        <pre className="approval-command">{visibleToApprove(JSON.stringify(args, undefined, 2))}</pre>
      )}
    </>
  );
}

/** On one line, so that no part of a value looks like another argument. */
function wordsOf(value: JsonValue): string {
  return typeof value === 'string' && !/[\r\n]/.test(value) ? value : JSON.stringify(value);
}

/** Tabs are usual in code, and stay. */
function visibleDiff({ label, lines }: FileDiff): FileDiff {
  const shown = (text: string) => text.split('\t').map(visibleToApprove).join('\t');
  return {
    label: label && visibleLine(label),
    lines: lines.map((line) => ({ ...line, text: shown(line.text) })),
  };
}
