import { subtaskOf, type ToolPart } from '@longhaul/protocol';
import type { ReactNode } from 'react';
import { ArgumentsView } from './arguments-view.tsx';
import { CommandView } from './command-view.tsx';
import { DiffView } from './diff-view.tsx';
import { diffsOfCall, isDiffCut } from './diffs-of-call.ts';
import { OutputParts } from './output-parts.tsx';
import { ReadView } from './read-view.tsx';
import { ResultsView } from './results-view.tsx';
import { TaskView } from './task-view.tsx';
import { TodoList } from './todo-list.tsx';
import { todoItems } from './todo-model.ts';
import { toolKind } from './tool-kind.ts';

/** What a tool call shows when it is open, by its kind, and how it failed. */
export function ToolBody({ part }: { part: ToolPart }) {
  return (
    <>
      {contentOf(part)}
      {part.error !== undefined && toolKind(part.name) !== 'command' && (
        <p className="tool-note bad">
          <strong>Failed:</strong> {part.error}
        </p>
      )}
      {part.state === 'interrupted' && (
        <p className="tool-note warn">
          Interrupted: the result is not known. The call may have taken effect or not.
        </p>
      )}
    </>
  );
}

function contentOf(part: ToolPart): ReactNode {
  if (subtaskOf(part) !== undefined) return <TaskView part={part} />;
  switch (toolKind(part.name)) {
    case 'edit':
      return <EditView part={part} />;
    case 'command':
      return <CommandView part={part} />;
    case 'results':
      return <ResultsView part={part} />;
    case 'read':
      return <ReadView part={part} />;
    case 'todo': {
      const items = todoItems(part);
      return items === undefined ? <OtherView part={part} /> : <TodoList items={items} />;
    }
    case 'other':
      return <OtherView part={part} />;
  }
}

function EditView({ part }: { part: ToolPart }) {
  const diffs = diffsOfCall(part);
  if (diffs.length === 0) return <OtherView part={part} />;
  return (
    <>
      {diffs.map((diff, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a call do not move
        <DiffView key={index} diff={diff} />
      ))}
      {isDiffCut(part) && <p className="tool-note quiet">The rest of the change was not recorded here.</p>}
      {part.state !== 'completed' && <OutputParts part={part} />}
    </>
  );
}

function OtherView({ part }: { part: ToolPart }) {
  return (
    <>
      <ArgumentsView value={part.input} text={part.inputText} />
      <OutputParts part={part} />
    </>
  );
}
