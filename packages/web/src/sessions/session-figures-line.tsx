import type { ContextInfo, SessionInfo } from '@longhaul/protocol/api';
import { fillPercent } from '../context/fill-percent.ts';
import { formatCost, formatTokens, plural } from '../ui/format.ts';

/**
 * Cost, window, queue and open approvals of a session.
 *
 * @param now The context of an open session. The window of others is shown as their last request filled it.
 */
export function SessionFiguresLine({
  session,
  now,
}: {
  session: SessionInfo;
  now?: ContextInfo | undefined;
}) {
  const { figures } = session;
  if (figures === undefined) return null;
  const { cost, context, queued, openApprovals, children } = figures;
  const tokens = now?.tokens ?? context?.tokens ?? 0;
  const percent = fillPercent(tokens, now?.window.usableTokens ?? context?.usableTokens);
  const isPriced = cost !== undefined || children?.cost !== undefined;
  if (!isPriced && percent === undefined && queued === 0 && openApprovals === 0) return null;
  return (
    <span className="session-line-figures quiet">
      {percent !== undefined && (
        <span title={`${formatTokens(tokens)} tokens in the ${now === undefined ? 'last' : 'next'} request`}>
          <meter min={0} max={100} value={Math.min(100, percent)} aria-hidden />{' '}
          <span className="only-read">Context </span>
          {percent} %
        </span>
      )}
      {cost !== undefined && <span>{formatCost(cost)}</span>}
      {children?.cost !== undefined && <span>+ {formatCost(children.cost)} by children</span>}
      {queued > 0 && <span>{queued} queued</span>}
      {openApprovals > 0 && <strong className="warn">{plural(openApprovals, 'approval')}</strong>}
    </span>
  );
}
