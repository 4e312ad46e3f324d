import { buildLedger, countByClasses, outlineOf } from '@longhaul/context/engine';
import type { Message } from '@longhaul/protocol';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const ROUNDS = 5;
const TENTH = 0.1;

/** Units of texts that a quadratic pattern or count is slow on. */
const UNITS = ['a', '=', 'a1B2', '\ud800', ' \n', 'a-', 'a.', 'Aa/', '文', '0 '];

interface Measured {
  label: string;
  /** Prepares the work for a share of the whole size. */
  prepare: (share: number) => () => unknown;
}

/**
 * Processor time for n and for 10 n of what must grow with its input and not with its square. Tests count the steps of
 * the same functions.
 */
export async function benchGrowth(): Promise<BenchResult> {
  const rows = measured().map(({ label, prepare }) => {
    const tenth = cpuMillisecondsOf(prepare(TENTH));
    const whole = cpuMillisecondsOf(prepare(1));
    return { label, values: { 'n ms': tenth, '10 n ms': whole, growth: whole / tenth } };
  });
  const worst = Math.max(...rows.map(({ values }) => values.growth));
  return { name: 'growth', rows, summary: { worstGrowth: Number(worst.toFixed(1)) } };
}

function measured(): Measured[] {
  const onText = (name: string, chars: number, work: (text: string) => unknown) =>
    UNITS.map((unit): Measured => {
      const text = (share: number) => unit.repeat((share * chars) / unit.length);
      return {
        label: `${name} of ${JSON.stringify(unit)}`,
        prepare: (share) => {
          const input = text(share);
          return () => work(input);
        },
      };
    });
  return [
    ...onText('counting tokens', 1_000_000, countByClasses),
    ...onText('outline', 200_000, outlineOf),
    {
      label: 'ledger of 5,000 turns',
      prepare: (share) => {
        const messages = session(share * 5_000);
        return () => buildLedger(messages, { maxTokens: 4_000, count: countByClasses });
      },
    },
  ];
}

/** The kernel counts processor time in ticks of some milliseconds, so each sample takes many of them. */
const SAMPLE_MS = 100;

/** Of one call. The median of several samples. */
function cpuMillisecondsOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage();
    for (let calls = 1; ; calls += 1) {
      work();
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= SAMPLE_MS * 1_000) return (user + system) / 1_000 / calls;
    }
  });
  return median(times);
}

function session(turns: number): Message[] {
  return Array.from({ length: turns }, (_, turn): Message[] => {
    const base = { sessionId: 's', status: 'done', createdAt: turn, tokenCount: 10 } as const;
    const output = [{ type: 'text' as const, text: `Error: number ${turn}` }];
    const call = { type: 'tool', callId: `c${turn}`, name: 'bash', state: 'completed', output } as const;
    return [
      {
        ...base,
        id: `u${turn}`,
        sequence: 2 * turn + 1,
        role: 'user',
        parts: [{ type: 'text', text: `instruction ${turn}`, state: 'done' }],
      },
      {
        ...base,
        id: `a${turn}`,
        sequence: 2 * turn + 2,
        role: 'assistant',
        parts: [{ ...call, input: { command: `run src/f${turn}.js` } }],
      },
    ];
  }).flat();
}
