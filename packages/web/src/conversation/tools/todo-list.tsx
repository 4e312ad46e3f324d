import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react';
import type { TodoItem } from './todo-model.ts';

const STATES = {
  open: { icon: CircleDashed, word: 'open', tone: 'quiet' },
  active: { icon: CircleDot, word: 'in progress', tone: 'running' },
  done: { icon: CircleCheck, word: 'done', tone: 'good' },
} as const;

/** The agent's plan as a check list. */
export function TodoList({ items }: { items: readonly TodoItem[] }) {
  return (
    <ul className="todo">
      {items.map(({ text, state }, index) => {
        const { icon: Icon, word, tone } = STATES[state];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two items can have the same text
          <li key={index} className={`todo-item ${state}`}>
            <Icon aria-hidden size={16} className={`tool-state ${tone}`} />
            <span className="only-read">{word}: </span>
            <span>{text}</span>
          </li>
        );
      })}
    </ul>
  );
}
