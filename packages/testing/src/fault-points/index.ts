export {
  type ArmedFault,
  armFault,
  FAULT_POINTS,
  type FaultPoint,
  type FaultPoints,
  FILES_FAULT_POINTS,
  MAINTENANCE_FAULT_POINTS,
  parseArmedFault,
} from './fault-points.ts';
export { type FilesPoint, passFilesPoints } from './files-points.ts';
export { PROGRAM_POINTS, type ProgramPoint, passProgramPoints } from './program-points.ts';
export {
  blobsWithFaultPoints,
  clockWithFaultPoints,
  filesFaultPoints,
  garbageFaultPoints,
  storeWithFaultPoints,
  toolWithFaultPoints,
} from './with-fault-points.ts';
