import { useEffect, useState } from 'react';

const PREFIX = 'longhaul-draft:';

/** Text that survives a reload. It is kept in this browser, for each key. */
export function useDraft(key: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(PREFIX + key) ?? '');
  useEffect(() => {
    if (text === '') localStorage.removeItem(PREFIX + key);
    else keep(PREFIX + key, text);
  }, [key, text]);
  return [text, setText];
}

/** A full or forbidden storage must not end the page: the text is still on the screen. */
function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch (error) {
    console.warn('The draft could not be kept:', error);
  }
}
