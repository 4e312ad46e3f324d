import { type ToggleEvent, useState } from 'react';

/** What the reader has opened or closed, also while it is scrolled out of the document. */
const choices = new Map<string, boolean>();

/** Whether a fold is open: as the reader left it, and otherwise as proposed. For `open` and `onToggle` of `details`. */
export function useRememberedOpen(
  key: string,
  isProposed: boolean,
): [isOpen: boolean, onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void] {
  const [choice, setChoice] = useState(choices.get(key));
  const isOpen = choice ?? isProposed;
  const onToggle = ({ currentTarget: { open } }: ToggleEvent<HTMLDetailsElement>) => {
    // The event also follows a change by the page itself.
    if (open === isOpen) return;
    choices.set(key, open);
    setChoice(open);
  };
  return [isOpen, onToggle];
}
