import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';

/** The silence is measured in this many steps, so it is noticed at most a fifth late. */
const STEPS = 5;

/**
 * Reports a request whose body stops arriving. The time in which the server itself does not read is not counted: a
 * body that is piped to a slow receiver waits for that receiver.
 *
 * @param options.stallMs Time without a byte of the body.
 * @param options.onStall Called at most once, with `request_timeout`.
 * @returns A handle that ends the watch. The end of the body and of the connection end it, too.
 */
export function watchBody(
  incoming: IncomingMessage,
  { stallMs, onStall }: { stallMs: number; onStall: (error: LonghaulError) => void },
): Disposable {
  let received = incoming.socket.bytesRead;
  let silentSteps = 0;
  const timer = setInterval(() => {
    const { bytesRead } = incoming.socket;
    const waitsForClient = bytesRead === received && !incoming.isPaused();
    received = bytesRead;
    silentSteps = waitsForClient ? silentSteps + 1 : 0;
    if (silentSteps < STEPS) return;
    stop();
    onStall(stalled(stallMs));
  }, stallMs / STEPS);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    incoming.off('end', stop).off('close', stop);
  };
  incoming.once('end', stop).once('close', stop);
  return { [Symbol.dispose]: stop };
}

function stalled(stallMs: number): LonghaulError {
  return new LonghaulError(
    'request_timeout',
    `No byte of the request body arrived for ${stallMs / 1_000} seconds. Send the whole body without a pause.`,
  );
}
