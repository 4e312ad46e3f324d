import type { ToggleEvent } from 'react';
import { useKeptState } from './use-kept-state.ts';

/** Whether a fold is open: as the reader left it, and otherwise as proposed. For `open` and `onToggle` of `details`. */
export function useRememberedOpen(
  key: string,
  isProposed: boolean,
): [isOpen: boolean, onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void] {
  const [choice, setChoice] = useKeptState<boolean | undefined>(`open:${key}`, undefined);
  const isOpen = choice ?? isProposed;
  const onToggle = ({ currentTarget: { open } }: ToggleEvent<HTMLDetailsElement>) => {
    // The event also follows a change by the page itself.
    if (open !== isOpen) setChoice(open);
  };
  return [isOpen, onToggle];
}
