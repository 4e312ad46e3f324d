import type { ContextInfo } from '@longhaul/protocol/api';
import { formatRoute } from '../shell/route.ts';
import { plural } from '../ui/format.ts';

type Ranges = ContextInfo['hidden'][number]['ranges'];

/** Which messages are hidden, with links to them. */
export function HiddenRanges({ ranges, sessionId }: { ranges: Ranges; sessionId: string }) {
  return (
    <ul className="panel-list" aria-label="Hidden messages">
      {ranges.map(({ from, to, count }) => (
        <li key={from}>
          <a href={formatRoute({ page: 'session', sessionId, message: from })}>
            {from === to ? from : `${from} to ${to}`}
          </a>
          <span className="quiet">{plural(count, 'message')}</span>
        </li>
      ))}
    </ul>
  );
}
