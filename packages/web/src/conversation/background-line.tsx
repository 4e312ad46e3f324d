import { useSessionState } from '../data/use-session.ts';

const NONE: never[] = [];

/** The commands that run in the background. */
export function BackgroundLine() {
  const commands = useSessionState((state) => state.detail?.background ?? NONE);
  if (commands.length === 0) return null;
  return (
    <ul className="background-line quiet" aria-label="Commands in the background">
      {commands.map(({ handle, command, isKept }) => (
        <li key={handle}>
          In the background{isKept && ', kept after the run'}: <code>{command}</code> ({handle})
        </li>
      ))}
    </ul>
  );
}
