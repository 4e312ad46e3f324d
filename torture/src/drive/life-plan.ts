import type { FaultPoint } from '@longhaul/testing/fault-points';

/** The planned events for one process that drives a session. */
export interface LifePlan {
  /** Fault point at which the process kills itself. */
  fault?: { point: FaultPoint; count: number };
  /** Time after which the process is killed from outside. Applies in addition to the other events. */
  killAfterMs?: number;
  /** If true, times count from the start of the process, not from the start of its work. */
  isSoon?: boolean;
  /** Time after which its run is cancelled. */
  cancelAfterMs?: number;
  /** Its run is cancelled while its first tool runs. */
  cancelsFirstTool?: boolean;
  /**
   * `inside`: by the process itself. `outside`: by another process. `stop`: the process is asked to stop, so that the
   * session can be resumed.
   */
  cancelBy?: CancelWay;
  /** Settings of the clock that its processes see. */
  clock?: readonly ClockStep[];
  /** The process is stopped with SIGSTOP until another process has taken the session. Excludes the other ends. */
  freeze?: FreezePlan;
}

/** The clock is set to the true time plus `hours`, at the start or `afterMs` later. */
export interface ClockStep {
  afterMs: number;
  hours: number;
}

export interface FreezePlan {
  /** A fault point that its run passes, the time while one of its commands runs, or any time. */
  when: FaultPoint | 'command' | 'moment';
  afterMs: number;
  /**
   * How its lease expires. `passed`: the test waits as long as it lasts. `moved`: the clocks with which later processes
   * measure leases are moved.
   */
  lease: 'passed' | 'moved';
  /** What happens to it `endAfterMs` after another run has begun. */
  end: 'thaw' | 'kill';
  endAfterMs: number;
}

export type CancelWay = 'inside' | 'outside' | 'stop';

/** A life without faults, kills or cancels. */
export const UNHARMED: LifePlan = {};

export function describePlan(plan: LifePlan): string {
  const {
    fault,
    killAfterMs,
    cancelAfterMs,
    cancelsFirstTool,
    cancelBy = 'inside',
    clock = [],
    freeze,
  } = plan;
  const words = [
    ...clock.map(({ afterMs, hours }) => `clock ${hours} h off after ${Math.round(afterMs)} ms`),
    ...(freeze === undefined
      ? []
      : [`stop at ${freeze.when} until its lease has ${freeze.lease}, ${freeze.end}`]),
    ...(cancelAfterMs === undefined
      ? []
      : [
          `${cancelBy === 'stop' ? 'stop' : `cancel from ${cancelBy}`} after ${Math.round(cancelAfterMs)} ms`,
        ]),
    ...(cancelsFirstTool === true ? ['cancel during the first tool'] : []),
    ...(fault === undefined ? [] : [`kill at ${fault.point}:${fault.count}`]),
    ...(killAfterMs === undefined ? [] : [`kill after ${Math.round(killAfterMs)} ms`]),
  ];
  return words.join(', ') || 'unharmed';
}
