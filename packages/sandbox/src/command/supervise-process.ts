import type { ExecResult, ProcessOptions, SandboxProcess } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { type RunningCommand, superviseCommand } from './supervise-command.ts';

/** How much input may wait for a command that does not read it. */
const MAX_UNREAD_INPUT_BYTES = 1_048_576;

export interface SuperviseProcessOptions extends Pick<ProcessOptions, 'onOutput'> {
  signal: AbortSignal;
  /** Stores that all processes of the command have ended. */
  recordEnd: () => Promise<void>;
}

/** Runs a started command beside others. What it leaves running is killed when it ends. */
export function superviseProcess(
  { countRunning: _, ...command }: RunningCommand,
  { signal, onOutput, recordEnd }: SuperviseProcessOptions,
): SandboxProcess {
  const stopping = new AbortController();
  const input = createInput(command.input);
  const supervise = async (): Promise<ExecResult> => {
    try {
      const result = await superviseCommand(command, { signal, stop: stopping.signal, onOutput });
      await recordEnd();
      return result;
    } finally {
      input.over();
    }
  };
  const ended = supervise();
  // Whoever awaits it gets the error. Nobody has to.
  ended.catch(() => undefined);
  return {
    write: input.write,
    closeInput: input.close,
    stop() {
      stopping.abort();
      return ended;
    },
    ended,
  };
}

function createInput(pipe: RunningCommand['input']) {
  if (pipe === undefined) throw new LonghaulError('internal', 'A command was started without its input.');
  // A command may close its input without reading it. The next write reports that.
  pipe.on('error', () => undefined);
  let isOver = false;
  return {
    write(data: Uint8Array | string): void {
      if (isOver) throw refused('The command has ended: it takes no input.');
      if (!pipe.writable) throw refused('The standard input of the command is closed.');
      const waiting = pipe.writableLength;
      if (waiting + Buffer.byteLength(data) > MAX_UNREAD_INPUT_BYTES) {
        throw refused(
          `The command does not read its input: ${waiting} bytes wait, and at most ${MAX_UNREAD_INPUT_BYTES} may.`,
        );
      }
      pipe.write(data);
    },
    close(): void {
      if (pipe.writable) pipe.end();
    },
    over(): void {
      isOver = true;
      pipe.destroy();
    },
  };
}

function refused(message: string): LonghaulError {
  return new LonghaulError('invalid_request', message);
}
