import { ChevronRight } from 'lucide-react';
import { useSession } from '../data/use-session.ts';
import { formatRoute } from '../shell/route.ts';
import { formatCost, formatTokens } from '../ui/format.ts';
import type { Step } from './read-all-steps.ts';

const MAX_ROWS = 100;

/** Tokens and cost of the newest steps. */
export function StepTable({ steps }: { steps: readonly Step[] }) {
  const session = useSession();
  const cost = steps.some((step) => step.cost !== undefined)
    ? formatCost(steps.reduce((sum, step) => sum + (step.cost ?? 0), 0))
    : 'unknown';
  return (
    <details>
      <summary>
        <ChevronRight aria-hidden size={14} className="fold-mark" /> {steps.length} steps, cost {cost}
      </summary>
      <table className="step-table">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">In</th>
            <th scope="col">Cached</th>
            <th scope="col">Out</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {steps
            .slice(-MAX_ROWS)
            .reverse()
            .map(({ handle, usage, cost: own }) => (
              <tr key={handle}>
                <th scope="row">
                  <a
                    href={formatRoute({
                      page: 'session',
                      sessionId: session.id,
                      panel: 'context',
                      message: handle,
                    })}
                  >
                    {handle}
                  </a>
                </th>
                <td>{usage === undefined ? '–' : formatTokens(usage.inputTokens)}</td>
                <td>{usage === undefined ? '–' : formatTokens(usage.cacheReadTokens)}</td>
                <td>{usage === undefined ? '–' : formatTokens(usage.outputTokens)}</td>
                <td>{own === undefined ? '–' : formatCost(own)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
}
