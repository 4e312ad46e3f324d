import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/** The space for young objects stops to grow at this size. V8 lets it grow to 128 MB. */
const YOUNG_BYTES = 16 * 1024 * 1024;
/** Old objects are collected when they take this share more than after the last collection. V8 itself waits up to 300 %. */
const OLD_GROWTH_PERCENT = 100;

/**
 * Bounds the memory that V8 takes for objects that nothing uses any more, in a process that a person leaves open. V8's
 * defaults are for speed: a chat of some hundred turns takes 330 MB with them, of which 40 MB are in use.
 *
 * The usual flag, `--max-semi-space-size`, has an effect only at the start of Node.js. So the growth is stopped when
 * the space is large enough. V8 reads this before each growth.
 */
export function boundMemory(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
  let isGrowing = true;
  // The space changes its size only in a collection.
  const observer = new PerformanceObserver(() => {
    // V8 shrinks the space of an idle process. It may grow again then.
    const mayGrow = youngBytes() < YOUNG_BYTES;
    if (mayGrow === isGrowing) return;
    isGrowing = mayGrow;
    v8.setFlagsFromString(`--semi-space-growth-factor=${isGrowing ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function youngBytes(): number {
  const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return young?.space_size ?? 0;
}
