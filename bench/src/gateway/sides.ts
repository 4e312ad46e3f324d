import type { BenchWay } from './bench-ways.ts';
import type { Helper } from './start-helper.ts';

/** The ways to the same upstream that are compared. */
export type SideName = 'directly' | 'plain proxy' | 'gateway';

export const SIDE_NAMES: readonly SideName[] = ['directly', 'plain proxy', 'gateway'];

export interface Sides {
  way: BenchWay;
  helpers: Readonly<Record<SideName, Helper>>;
}

/** Helpers report their addresses with `/v1`. */
export function addressOf({ way, helpers }: Sides, side: SideName): string {
  return new URL(way.path, helpers[side].url).href;
}
