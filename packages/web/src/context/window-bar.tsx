import './window-bar.css';
import type { ContextInfo } from '@longhaul/protocol/api';
import { formatTokens } from '../ui/format.ts';
import { windowShares } from './window-shares.ts';

/** What fills the window, as a stacked bar and as a list. A line shows where the next compaction begins. */
export function WindowBar({ context }: { context: ContextInfo }) {
  const shares = windowShares(context);
  const whole = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  const { triggerTokens } = context.window;
  const percent = (tokens: number) => `${((100 * tokens) / whole).toFixed(tokens * 10 < whole ? 1 : 0)} %`;
  return (
    <>
      <div className="window-bar" aria-hidden>
        {shares.map(({ name, label, tokens }) => (
          <span
            key={name}
            className={`share-${name}`}
            style={{ flexGrow: tokens }}
            title={`${label}: ${formatTokens(tokens)}`}
          />
        ))}
        {triggerTokens !== undefined && triggerTokens < whole && (
          <span
            className="window-trigger"
            style={{ insetInlineStart: `${(100 * triggerTokens) / whole}%` }}
          />
        )}
      </div>
      <table className="window-list">
        <thead className="only-read">
          <tr>
            <th>Part of the window</th>
            <th>Tokens</th>
            <th>Share</th>
          </tr>
        </thead>
        <tbody>
          {shares.map(({ name, label, tokens }) => (
            <tr key={name}>
              <th scope="row">
                <span className={`window-key share-${name}`} aria-hidden /> {label}
              </th>
              <td>{formatTokens(tokens)}</td>
              <td className="quiet">{percent(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
