import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('./llama-process.ts', import.meta.url));

/** Returns why node-llama-cpp does not load here, such as a missing library for this platform. Undefined: it loads. */
export async function llamaProblem(): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, [PROGRAM]);
    return undefined;
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    return `node-llama-cpp does not load here: ${said.trim().split('\n').at(0)}`;
  }
}
