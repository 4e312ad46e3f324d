import type { GatewayPageState } from '@longhaul/protocol/gateway-page';
import { formatTime } from '../ui/format.ts';
import { Section } from './section.tsx';

/** What went wrong, and what the gateway cannot help. */
export function Events({ state: { errors, unhelped, startedAt } }: { state: GatewayPageState }) {
  return (
    <Section title="Events">
      <p className="quiet">Running since {formatTime(startedAt)}.</p>
      {unhelped.length > 0 && (
        <>
          <h3>Requests that are never compacted</h3>
          <ul>
            {unhelped.map((kind) => (
              <li key={kind}>{kind}</li>
            ))}
          </ul>
        </>
      )}
      <h3>Last errors</h3>
      {errors.length === 0 ? (
        <p className="quiet">None.</p>
      ) : (
        <ul>
          {errors.map(({ at, code, upstream, model }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: errors have no names
            <li key={index}>
              {formatTime(at)} <code>{code}</code>{' '}
              {upstream !== null && (
                <span className="quiet">
                  {upstream}
                  {model !== null && ` / ${model}`}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
