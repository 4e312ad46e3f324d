import type { SessionInfo } from '@longhaul/protocol/api';
import { formatCost, formatTokens, plural } from '../ui/format.ts';

/** Cost, window, queue and open approvals of a session. */
export function SessionFiguresLine({ session }: { session: SessionInfo }) {
  const { figures } = session;
  if (figures === undefined) return null;
  const { cost, context, queued, openApprovals } = figures;
  const percent = windowPercent(figures);
  if (cost === undefined && percent === undefined && queued === 0 && openApprovals === 0) return null;
  return (
    <span className="session-line-figures quiet">
      {percent !== undefined && (
        <span
          title={
            context === undefined ? undefined : `${formatTokens(context.tokens)} tokens in the last request`
          }
        >
          <meter min={0} max={100} value={Math.min(100, percent)} aria-hidden />{' '}
          <span className="only-read">Context </span>
          {percent} %
        </span>
      )}
      {cost !== undefined && <span>{formatCost(cost)}</span>}
      {queued > 0 && <span>{queued} queued</span>}
      {openApprovals > 0 && <strong className="warn">{plural(openApprovals, 'approval')}</strong>}
    </span>
  );
}

/** How full the window was at the last request, in percent of what can be used. */
export function windowPercent({
  context,
}: Pick<NonNullable<SessionInfo['figures']>, 'context'>): number | undefined {
  if (context === undefined || context.usableTokens <= 0) return undefined;
  return Math.round((100 * context.tokens) / context.usableTokens);
}
