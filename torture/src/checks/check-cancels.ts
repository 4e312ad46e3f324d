import type { CancelLine, EffectLine } from '../records/lines.ts';
import type { StoredRun } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';
import type { ModelRequest } from './model-journal.ts';

/**
 * Checks that a run starts no effect and no request after its cancel was answered, until the next run of the session. A
 * run that starts after the cancel was requested may not be the cancelled one, so its effects and requests are allowed.
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
