import type { CancelLine, EffectLine } from '../records/lines.ts';
import type { StoredRun } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';
import type { ModelRequest } from './model-journal.ts';

/**
 * Nothing of a run goes on once its cancel has been answered: no effect and no request until the session is taken anew. A run that took it after
 * the cancel was asked for may be another one than that which was to end.
 */
export function checkCancels(
  cancels: readonly CancelLine[],
  runs: readonly StoredRun[],
  seen: { effects: readonly EffectLine[]; requests: readonly ModelRequest[] },
): Defect[] {
  return cancels.flatMap(({ askedAt, answeredAt }) => {
    const next = runs.find(({ startedAt }) => startedAt >= askedAt)?.startedAt ?? Number.POSITIVE_INFINITY;
    const isAfter = ({ at }: { at: number }) => at > answeredAt && at < next;
    return [
      ...seen.effects
        .filter(isAfter)
        .map(({ callId, at }) =>
          defect(
            'repeated-side-effect',
            `${callId} was started ${at - answeredAt} ms after the cancel was answered`,
          ),
        ),
      ...seen.requests
        .filter(isAfter)
        .map(({ number, at }) =>
          defect('corruption', `request ${number} left ${at - answeredAt} ms after the cancel was answered`),
        ),
    ];
  });
}
