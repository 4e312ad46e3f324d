import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

const PREFIX = 'longhaul-draft:';

/** Text that survives a reload. It is kept in this browser, for each key. */
export function useDraft(key: string): [text: string, setText: Dispatch<SetStateAction<string>>] {
  const [text, setText] = useState(() => draftOf(key));
  useEffect(() => keepDraft(key, text), [key, text]);
  return [text, setText];
}

/** A full or forbidden storage must not end the page: the text is still on the screen. */
function keepDraft(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
  } catch (error) {
    console.warn('The draft could not be saved:', error);
  }
}

function draftOf(key: string): string {
  try {
    return localStorage.getItem(PREFIX + key) ?? '';
  } catch {
    return '';
  }
}
