import { FAULT_POINTS, type FaultPoint } from '@longhaul/testing/fault-points';
import { shuffled } from '../shuffled.ts';

export const NODE_FAULT_VARIABLE = 'LONGHAUL_TORTURE_NODE_FAULT';
export const NODE_FREEZE_VARIABLE = 'LONGHAUL_TORTURE_NODE_FREEZE';
/** Arms the fault of a server, which must not strike before it listens. The second one disarms it. */
export const ARM_SIGNAL = 'SIGUSR2';

/** Where a server strikes itself. */
export interface NodeFault {
  point: FaultPoint;
  /** It is suspended there, and not killed. */
  isFrozen: boolean;
}

/** Points that a server does not pass: they are no writes to its store, or its scripted sessions never get there. */
const NOT_PASSED: ReadonlySet<FaultPoint> = new Set([
  'transaction-open',
  'tool-started',
  'tool-returned',
  'blob-stored',
  'compaction-before-commit',
  'compaction-committed',
  'retry-announced',
]);

const NODE_FAULT_POINTS = FAULT_POINTS.filter((point) => !NOT_PASSED.has(point));

/** Returns the faults of servers, one after the other: at every point a kill and a suspension, in a random order. */
export function* nodeFaults(random: () => number): Generator<NodeFault, never> {
  for (;;) {
    yield* shuffled(
      NODE_FAULT_POINTS.flatMap((point) => [false, true].map((isFrozen) => ({ point, isFrozen }))),
      random,
    );
  }
}

export function faultEnvironment(fault: NodeFault | undefined): Record<string, string> {
  if (fault === undefined) return {};
  return { [NODE_FAULT_VARIABLE]: fault.point, ...(fault.isFrozen && { [NODE_FREEZE_VARIABLE]: '1' }) };
}
