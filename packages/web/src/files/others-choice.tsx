import { Choice } from './choice.tsx';

/** What happens to files that somebody else has changed. The names of the fields of a request. */
export type Others = 'force' | 'keep';

interface OthersChoiceProps {
  conflicts: readonly string[];
  value: Others;
  onChange: (value: Others) => void;
}

/** Lists the files that somebody else has changed, and asks whether they are restored too. */
export function OthersChoice({ conflicts, value, onChange }: OthersChoiceProps) {
  return (
    <>
      <h3>Changed by somebody else</h3>
      <ul>
        {conflicts.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      <Choice
        legend="These files"
        value={value}
        onChange={onChange}
        options={{ keep: 'stay as they are', force: 'are restored too' }}
      />
    </>
  );
}
