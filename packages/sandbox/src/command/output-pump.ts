import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions } from '@longhaul/core';

export interface OutputChunk {
  stream: 'stdout' | 'stderr';
  data: Uint8Array;
}

const POLL_MS = 10;
/** After this many polls in a row without new output, nothing is left that was written before. */
const QUIET_POLLS = 25;
/** The same, for a writer that never pauses that long: polls without output in all. */
const MAX_IDLE_POLLS = 100;
/** More than a pipe and our own buffers can hold. */
const MAX_BYTES = 4 * 1_048_576;

export interface OutputPump {
  /** Settles when all outputs have ended. Rejects with an error of the consumer. */
  readonly ended: Promise<unknown>;
  /**
   * Settles when everything that was written before this call was passed on, although a process still holds the
   * outputs. Also settles if `isOver` returns true.
   */
  passOn(isOver: () => boolean): Promise<void>;
  /** From now on, output is read and dropped, so that a process which goes on writing neither blocks nor dies. */
  drop(): void;
}

/** Passes the outputs of a command on, one chunk of each at a time. */
export function pumpOutputs(
  outputs: readonly AsyncIterable<OutputChunk>[],
  onOutput: ExecOptions['onOutput'],
): OutputPump {
  let isDropping = false;
  let isEnded = false;
  let passing = 0;
  let bytes = 0;
  const pump = async (output: AsyncIterable<OutputChunk>) => {
    for await (const { data, stream } of output) {
      if (isDropping) continue;
      bytes += data.byteLength;
      passing += 1;
      await onOutput(data, stream);
      passing -= 1;
    }
  };
  const ended = Promise.all(outputs.map(pump));
  const end = () => {
    isEnded = true;
  };
  ended.then(end, end);
  return {
    ended,
    async passOn(isOver) {
      const limit = bytes + MAX_BYTES;
      let last = bytes;
      for (let quiet = 0, idle = 0; quiet < QUIET_POLLS && idle < MAX_IDLE_POLLS; ) {
        if (isEnded || isOver() || (bytes > limit && passing === 0)) return;
        await sleep(POLL_MS);
        // What the consumer has not taken yet is not silence.
        if (passing > 0) continue;
        idle += 1;
        quiet = bytes === last ? quiet + 1 : 0;
        last = bytes;
      }
    },
    drop() {
      isDropping = true;
    },
  };
}
