import { type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { DriverFor, ModelDriver } from '../../ports/index.ts';
import { untilAborted } from '../../until-aborted.ts';
import { cancelled, interrupted, interruptionOf } from './interruption.ts';
import type { ActiveRun } from './run-registry.ts';

/** The driver, or why there is none. */
type OpenedDriver =
  | { driver: ModelDriver; problem?: undefined }
  | { driver?: undefined; problem: LonghaulError };

/**
 * Opens the driver of a run that has not started yet. A model that runs inside Longhaul may have to be loaded first,
 * which takes minutes: the end of the run ends the wait.
 */
export async function openedDriver(
  model: string,
  { driverFor, active }: { driverFor: DriverFor; active: Pick<ActiveRun, 'signal' | 'drain'> },
): Promise<OpenedDriver> {
  const signal = AbortSignal.any([active.signal, active.drain]);
  const reason = () => {
    if (active.signal.aborted) return interruptionOf(active.signal) ?? cancelled();
    return interrupted();
  };
  try {
    return { driver: await untilAborted(driverFor(model, signal), signal, reason) };
  } catch (thrown) {
    return { problem: toLonghaulError(thrown) };
  }
}
