export {
  type ArmedFault,
  armFault,
  FAULT_POINTS,
  type FaultPoint,
  type FaultPoints,
  parseArmedFault,
} from './fault-points.ts';
export {
  blobsWithFaultPoints,
  clockWithFaultPoints,
  storeWithFaultPoints,
  toolWithFaultPoints,
} from './with-fault-points.ts';
