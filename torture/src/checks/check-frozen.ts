import type { EffectLine, TickLine } from '../records/lines.ts';
import type { LifeRecord } from './check-streams.ts';
import { type Defect, defect } from './defect.ts';

/**
 * Checks the processes that were stopped with SIGSTOP until another process had taken their session. From the first
 * tool of another process on, none of their commands runs or starts. Once continued, such a process makes no request
 * but the one that it was about to make, and ends by itself with the reason.
 */
export function checkFrozen(
  lives: readonly LifeRecord[],
  { effects, ticks }: { effects: readonly EffectLine[]; ticks: readonly TickLine[] },
): Defect[] {
  return lives.flatMap((record) => {
    const { life, frozenAt } = record.life;
    if (frozenAt === undefined) return [];
    const replacedAt = firstToolAfter(lives, life);
    const isLate = (line: { at: number; life: number }) => line.life === life && line.at > replacedAt;
    return [
      ...effects
        .filter((effect) => effect.by.startsWith('shell') && isLate(effect))
        .map(({ callId, at }) =>
          defect(
            'repeated-side-effect',
            `life ${life}, which was stopped, started the command of ${callId} ${at - replacedAt} ms after another life's first tool`,
          ),
        ),
      ...[...Map.groupBy(ticks.filter(isLate), ({ callId }) => callId)].map(([callId, late]) =>
        defect(
          'repeated-side-effect',
          `the command of ${callId} of life ${life}, which was stopped, ran until ${(late.at(-1)?.at ?? 0) - replacedAt} ms after another life's first tool`,
        ),
      ),
      ...checkThawed(record),
    ];
  });
}

function firstToolAfter(lives: readonly LifeRecord[], frozen: number): number {
  const tools = lives
    .filter(({ life }) => life.life > frozen)
    .flatMap(({ received }) => received.find(({ type }) => type === 'tool')?.at ?? []);
  return Math.min(...tools);
}

function checkThawed({ life, received }: LifeRecord): Defect[] {
  const { life: number, thawedAt, status, error } = life;
  if (thawedAt === undefined) return [];
  const asked = received.filter(({ type, at }) => type === 'asked' && at > thawedAt);
  return [
    ...(asked.length > 1
      ? [
          defect(
            'corruption',
            `life ${number} made ${asked.length} requests after it had lost its session while it was stopped`,
          ),
        ]
      : []),
    ...(status === 'interrupted'
      ? []
      : [
          defect(
            'corruption',
            `life ${number} lost its session while it was stopped and ended as ${status} (${error})`,
          ),
        ]),
  ];
}
