import { createRequire } from 'node:module';
import { uptime } from 'node:os';
import { lazy } from './lazy.ts';

/** The clock that Node.js reads in `process.hrtime`: its number for `clock_gettime`, and libraries that have it. */
const CLOCKS: Partial<Record<NodeJS.Platform, { id: number; libraries: readonly string[] }>> = {
  linux: { id: 1, libraries: ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'] },
  darwin: { id: 4, libraries: ['libSystem.B.dylib'] },
};

/**
 * Returns the milliseconds of the kernel's monotonic clock, the same in every process of the machine. It stops while the
 * machine sleeps, like the timers that renew leases.
 */
export function machineUptime(): number {
  return process.versions['bun'] === undefined ? Number(process.hrtime.bigint() / 1_000_000n) : bunUptime()();
}

/** The part of `bun:ffi` that is used here. */
interface Ffi {
  dlopen(
    library: string,
    functions: object,
  ): { symbols: { clock_gettime(id: number, time: number): number } };
  ptr(view: ArrayBufferView): number;
}

/** Bun's `process.hrtime` begins with the process, so two processes could not compare their times. */
const bunUptime = lazy(() => {
  const { id, libraries } = CLOCKS[process.platform] ?? { id: 0, libraries: [] };
  const ffi: Ffi = createRequire(import.meta.url)('bun:ffi');
  const time = new BigInt64Array(2);
  for (const library of libraries) {
    try {
      const signature = { args: ['i32', 'ptr'], returns: 'i32' };
      const { symbols } = ffi.dlopen(library, { clock_gettime: signature });
      return () => {
        symbols.clock_gettime(id, ffi.ptr(time));
        return Number(time[0] ?? 0n) * 1_000 + Math.floor(Number(time[1] ?? 0n) / 1_000_000);
      };
    } catch {
      // Another C library. Without any, the time that the machine slept counts too.
    }
  }
  return () => uptime() * 1_000;
});
