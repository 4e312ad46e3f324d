import { toLonghaulError } from '@longhaul/protocol';
import type { Sandbox } from '../ports/index.ts';

/** Works in a new sandbox. If only closing it fails, a warning of the process reports that: the work is done. */
export async function inSandbox<T>(
  open: () => Promise<Sandbox>,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  let done: { result: T } | undefined;
  try {
    await using sandbox = await open();
    done = { result: await work(sandbox) };
  } catch (error) {
    if (done === undefined) throw error;
    process.emitWarning(`The sandbox could not be closed: ${toLonghaulError(error).message}`);
  }
  return done.result;
}
