import type { BenchResult, BenchRow } from './bench-result.ts';
import { BENCH_WAYS } from './gateway/bench-ways.ts';
import { type FirstTokens, firstTokens, largeRequests } from './gateway/first-tokens.ts';
import {
  inTimePercent,
  type PacedStreams,
  pacedStreams,
  STREAMS,
  TOLERANCE_MS,
} from './gateway/paced-streams.ts';
import { SIDE_NAMES, type SideName } from './gateway/sides.ts';
import { startHelper } from './gateway/start-helper.ts';
import type { Work } from './gateway/work-of.ts';
import { median } from './median.ts';

interface Measured {
  name: string;
  path: string;
  first: FirstTokens;
  large: FirstTokens;
  paced: PacedStreams;
}

/**
 * Measures the time that the gateway adds to direct requests to its upstream: to the first token of a short request and
 * of a 1 MB request with a known prefix, and to the pace of 200 streams of 40 chunks a second, in each protocol. All
 * sides run in processes of their own. A plain proxy shows what any process in between costs at the load of the machine,
 * and the processor time of the gateway depends little on the load.
 */
export async function benchGateway(): Promise<BenchResult> {
  await using upstream = await startHelper('upstream');
  await using plain = await startHelper('plain-proxy', upstream.url);
  await using gateway = await startHelper('gateway', upstream.url);
  const helpers = { directly: upstream, 'plain proxy': plain, gateway };
  const all: Measured[] = [];
  for (const way of BENCH_WAYS) {
    const sides = { way, helpers };
    const [first, large] = [await firstTokens(sides), await largeRequests(sides)];
    all.push({ name: way.name, path: way.path, first, large, paced: await pacedStreams(sides) });
  }
  return {
    name: 'gateway',
    rows: all.flatMap(rowsOf),
    summary: Object.fromEntries(all.flatMap(figuresOf)),
    notes: [
      `In time: at most ${TOLERANCE_MS} ms later than the chunks of as many streams through a plain proxy at the same time. Chunks of both sides are sorted by lateness and compared in that order.`,
      'Work: processor time of the process for one request or one chunk, in milliseconds. It depends little on the load of the machine.',
    ],
  };
}

function rowsOf({ path, first, large, paced }: Measured): BenchRow[] {
  return [
    { label: `${path}: first token, ms`, values: mediansOf(first.ms, first.work) },
    {
      label: `${path}: 1 MB with a known prefix: first token, ms`,
      values: mediansOf(large.ms, large.work),
    },
    {
      label: `${path}: ${STREAMS} streams: lateness of a chunk, ms`,
      values: mediansOf(paced.late, paced.work),
    },
  ];
}

function mediansOf(ms: Partial<Record<SideName, number[]>>, work: Work): BenchRow['values'] {
  const medians = SIDE_NAMES.map((side) => [side, ms[side] === undefined ? '' : round(median(ms[side]))]);
  return {
    ...Object.fromEntries(medians),
    'work of the proxy': round(work.proxy),
    'work of the gateway': round(work.gateway),
  };
}

function figuresOf({ name, first, large, paced }: Measured): [string, number][] {
  return [
    [`${name} addedFirstTokenMs`, added(first)],
    [`${name} addedMegabyteMs`, added(large)],
    [`${name} addedMegabyteWorkMs`, round(large.work.gateway - large.work.proxy)],
    [`${name} chunksInTimePercent`, round(inTimePercent(paced))],
  ];
}

/** Sides of one round are compared, since the load changes from round to round. */
function added({ ms: { directly, gateway } }: FirstTokens): number {
  return round(median(gateway.map((ms, index) => ms - (directly[index] ?? 0))));
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
