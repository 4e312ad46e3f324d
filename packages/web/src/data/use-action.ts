import { useState } from 'react';
import { problemNotice } from '../ui/problem-notice.ts';
import { useNotify } from '../ui/toasts.tsx';

/**
 * Runs an action that calls the server. A failure is shown as a toast.
 *
 * @returns Whether the action is running, and the function that starts it.
 */
export function useAction<Args extends unknown[]>(
  action: (...args: Args) => Promise<void>,
): [isRunning: boolean, run: (...args: Args) => void] {
  const [count, setCount] = useState(0);
  const notify = useNotify();
  const run = async (...args: Args) => {
    setCount((running) => running + 1);
    try {
      await action(...args);
    } catch (error) {
      notify(problemNotice(error));
    } finally {
      setCount((running) => running - 1);
    }
  };
  return [count > 0, (...args: Args) => void run(...args)];
}
