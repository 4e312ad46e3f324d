import { armFault, type FaultPoints, parseArmedFault } from '@longhaul/testing/fault-points';
import type { LineWriter, ReceivedLine } from '../records/lines.ts';
import { trueTime } from '../records/true-time.ts';
import { FAULT_VARIABLE, FREEZE_VARIABLE } from './settings.ts';

/** The fault points of this process. It kills or stops itself at the one that its environment names. */
export function armedFaults(lines: LineWriter<ReceivedLine>): FaultPoints {
  const armed = process.env[FAULT_VARIABLE];
  if (armed === undefined) return { reach: () => undefined };
  const fault = parseArmedFault(armed);
  const freezes = process.env[FREEZE_VARIABLE] !== undefined;
  return armFault(fault, () => {
    lines.write({ type: freezes ? 'froze' : 'died', at: trueTime(), point: fault.point });
    process.kill(process.pid, freezes ? 'SIGSTOP' : 'SIGKILL');
  });
}
