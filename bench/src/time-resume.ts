import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';

export interface ResumeSample {
  ms: number;
  /** CPU time of the process, which other programs on the machine affect less. */
  cpuMs: number;
  mb: number;
  messages: number;
}

/**
 * Sends a message to a session in a new process, until its first request is ready.
 *
 * @param database The path of an SQLite database, or the address of a PostgreSQL database.
 */
export function timeResume(database: string, session: string): Promise<ResumeSample> {
  const program = fileURLToPath(new URL('resume-process.ts', import.meta.url));
  const child = spawn(process.execPath, [...FROM_SOURCE, program, database, session], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`The resumed process exited with code ${code}.`));
    });
  });
}
