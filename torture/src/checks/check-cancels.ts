import type { CancelLine, EffectLine } from '../records/lines.ts';
import type { LifeRecord } from './check-streams.ts';
import { type Defect, defect } from './defect.ts';

/**
 * Checks that a run starts no effect and no request after its cancel was answered, until the next run of the session. A
 * run that starts after the cancel was requested may not be the cancelled one, so its effects and requests are allowed.
 * Processes that were stopped are the subject of `checkFrozen`.
 */
export function checkCancels(
  cancels: readonly CancelLine[],
  lives: readonly LifeRecord[],
  effects: readonly EffectLine[],
): Defect[] {
  const frozen = new Set(lives.flatMap(({ life }) => (life.frozenAt === undefined ? [] : [life.life])));
  const running = lives.filter(({ life }) => !frozen.has(life.life));
  const runs = timesOf(running, 'run').toSorted((a, b) => a.at - b.at);
  const requests = timesOf(running, 'asked');
  return cancels.flatMap(({ askedAt, answeredAt }) => {
    const next = runs.find(({ at }) => at >= askedAt)?.at ?? Number.POSITIVE_INFINITY;
    const isAfter = ({ at }: { at: number }) => at > answeredAt && at < next;
    return [
      ...effects
        .filter((effect) => isAfter(effect) && !frozen.has(effect.life))
        .map(({ callId, at }) =>
          defect(
            'repeated-side-effect',
            `${callId} was started ${at - answeredAt} ms after the cancel was answered`,
          ),
        ),
      ...requests
        .filter(isAfter)
        .map(({ life, at }) =>
          defect(
            'corruption',
            `a request of life ${life} left ${at - answeredAt} ms after the cancel was answered`,
          ),
        ),
    ];
  });
}

function timesOf(lives: readonly LifeRecord[], type: 'run' | 'asked'): { life: number; at: number }[] {
  return lives.flatMap(({ life, received }) =>
    received.filter((line) => line.type === type).map(({ at }) => ({ life: life.life, at })),
  );
}
