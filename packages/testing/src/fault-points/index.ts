export {
  type ArmedFault,
  armFault,
  FAULT_POINTS,
  type FaultPoint,
  type FaultPoints,
  MAINTENANCE_FAULT_POINTS,
  parseArmedFault,
} from './fault-points.ts';
export { PROGRAM_POINTS, type ProgramPoint, passProgramPoints } from './program-points.ts';
export {
  blobsWithFaultPoints,
  clockWithFaultPoints,
  garbageFaultPoints,
  storeWithFaultPoints,
  toolWithFaultPoints,
} from './with-fault-points.ts';
