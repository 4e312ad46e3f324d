import type { Session } from './message.ts';

/**
 * Key in the session's metadata: the name of the machine that has the folder of the session's workspace. Only the server
 * sets it. Children are on the machine of their parent.
 */
export const MACHINE_KEY = 'homeMachine';

/** Returns the machine of the session's workspace. Undefined: it is not known. */
export function machineOf({ metadata }: Pick<Session, 'metadata'>): string | undefined {
  const name = metadata?.[MACHINE_KEY];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
