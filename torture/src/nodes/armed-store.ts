import { openPostgresStore as openStore, type PostgresStoreOptions } from '@longhaul/storage/postgres';
import {
  armFault,
  type FaultPoint,
  parseArmedFault,
  storeWithFaultPoints,
} from '@longhaul/testing/fault-points';
import { ARM_SIGNAL, NODE_FAULT_VARIABLE, NODE_FREEZE_VARIABLE } from './node-faults.ts';

export * from '@longhaul/storage/postgres';

let isArmed = false;
process.on(ARM_SIGNAL, () => {
  isArmed = !isArmed;
});

/** Opens a store whose process is killed or suspended at the point that its environment names. */
export async function openPostgresStore(options: PostgresStoreOptions): ReturnType<typeof openStore> {
  const store = await openStore(options);
  const armed = process.env[NODE_FAULT_VARIABLE];
  if (armed === undefined) return store;
  const signal = process.env[NODE_FREEZE_VARIABLE] === undefined ? 'SIGKILL' : 'SIGSTOP';
  const fault = armFault(parseArmedFault(armed), () => process.kill(process.pid, signal));
  const faults = { reach: (point: FaultPoint) => void (isArmed && fault.reach(point)) };
  // The wrapper is a proxy with all methods of the store, as bound functions, which `await using` of Node.js 24 refuses.
  const wrapped = storeWithFaultPoints(store, faults) as typeof store;
  return { ...wrapped, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}
