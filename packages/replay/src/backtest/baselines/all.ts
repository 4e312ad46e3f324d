import type { ReplayMethod } from '../method.ts';
import { dropOldest } from './drop-oldest.ts';
import { dropWithList } from './drop-with-list.ts';
import { everything } from './everything.ts';
import { maskThenDrop } from './mask-then-drop.ts';

/** Simple methods to compare the engine with. They use the whole window and keep no output reserve. */
export const BASELINES: readonly ReplayMethod[] = [
  everything,
  dropOldest({ from: 0.8, keep: 0.3 }),
  dropOldest({ from: 0.9, keep: 0.6 }),
  maskThenDrop,
  dropWithList(2_000),
  dropWithList(4_000),
];
