import { LonghaulError } from '@longhaul/protocol';
import type { Lease, RecordProcess, Store } from '../../ports/index.ts';
import { newId } from '../ids.ts';

/** Characters of a command's text that are stored. */
const MAX_COMMAND_CHARS = 500;

/**
 * Returns the function that a sandbox calls before a command can have an effect. It refuses a run that was replaced, so
 * a run that wakes up after its lease has expired starts nothing.
 */
export function createProcessRecorder(
  store: Pick<Store, 'recordProcess' | 'endProcess'>,
  lease: Lease,
): RecordProcess {
  return async (command, place) => {
    const id = newId();
    await store.recordProcess(lease, { id, command: command.slice(0, MAX_COMMAND_CHARS), place });
    return async () => {
      try {
        await store.endProcess(id, 'ended');
      } catch (error) {
        // The command has ended and its result is not affected. The next run finds the record open and its process
        // gone.
        if (!(error instanceof LonghaulError)) throw error;
      }
    };
  };
}
