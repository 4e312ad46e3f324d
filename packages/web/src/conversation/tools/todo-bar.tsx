import { ChevronRight } from 'lucide-react';
import { useSessionState } from '../../data/use-session.ts';
import { useRememberedOpen } from '../../ui/use-remembered-open.ts';
import { TodoList } from './todo-list.tsx';
import { newestTodo } from './todo-model.ts';

/** The newest plan of the agent, above the composer. Hidden when all of it is done and nothing runs. */
export function TodoBar() {
  const items = useSessionState((state) => newestTodo(state.messages));
  const isRunning = useSessionState((state) => state.isRunning);
  const [isOpen, onToggle] = useRememberedOpen('todo-bar', false);
  if (items === undefined || items.length === 0) return null;
  const done = items.filter(({ state }) => state === 'done').length;
  if (done === items.length && !isRunning) return null;
  const active = items.find(({ state }) => state === 'active');
  return (
    <details className="todo-bar" open={isOpen} onToggle={onToggle}>
      <summary>
        <ChevronRight aria-hidden size={14} className="fold-mark" />
        <span>
          Todo: {done} of {items.length} done
        </span>
        {active !== undefined && <span className="tool-title quiet">{active.text}</span>}
      </summary>
      <TodoList items={items} />
    </details>
  );
}
