import { spawn } from 'node:child_process';

export interface Sample {
  ms: number;
  /** Processor time of the process and its child processes. */
  cpuMs: number;
  /** Of the process alone. */
  peakMb: number;
}

interface ProcessOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/**
 * The process reads its own VmHWM at exit, so that the memory of its children does not count. Their processor time is
 * in fields 16 and 17 of its stat, in hundredths of a second.
 */
const REPORT = `
import { readFileSync } from 'node:fs';
const read = (name) => readFileSync('/proc/self/' + name, 'utf8');
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const fields = read('stat').split(') ')[1].split(' ');
  const childMs = (Number(fields[13]) + Number(fields[14])) * 10;
  const peakKb = /VmHWM:\\s+(\\d+)/.exec(read('status'))[1];
  process.stderr.write('cpuMs=' + ((user + system) / 1000 + childMs) + ' peakKb=' + peakKb + '\\n');
});`;
const REPORT_URL = `data:text/javascript,${encodeURIComponent(REPORT)}`;

/** Runs a Node.js program twice: for its time, and for its processor time and its memory. */
export async function timeProcess(args: readonly string[], options: ProcessOptions): Promise<Sample> {
  const { ms } = await spawnAndWait(args, options);
  return { ...(await measureProcess(args, options)), ms };
}

/** Runs a Node.js program once. Its time includes that of reading the other values, a few milliseconds. */
export async function measureProcess(args: readonly string[], options: ProcessOptions): Promise<Sample> {
  const { ms, stderr } = await spawnAndWait(['--import', REPORT_URL, ...args], options);
  const [, cpuMs, peakKb] = /cpuMs=([\d.]+) peakKb=(\d+)/.exec(stderr) ?? [];
  return { ms, cpuMs: Number(cpuMs), peakMb: Number(peakKb) / 1_024 };
}

function spawnAndWait(
  args: readonly string[],
  options: ProcessOptions,
): Promise<{ ms: number; stderr: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const ms = performance.now() - started;
      if (code === 0) resolve({ ms, stderr });
      else reject(new Error(`${args.join(' ')} exited with code ${code}: ${stderr.slice(0, 2_000)}`));
    });
  });
}
