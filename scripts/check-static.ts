/**
 * Runs all checks that need no tests, two at a time, and prints what each of them prints when it has ended. Fails if
 * one of them fails, after the others.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Scripts of package.json. The ones that take the longest are the first. */
const CHECKS = [
  'check:types',
  'lint',
  'check:unused',
  'check:page-types',
  'check:imports',
  'check:docs',
  'check:reference',
];
const AT_ONCE = 2;

const waiting = [...CHECKS];
const failed: string[] = [];
await Promise.all(Array.from({ length: AT_ONCE }, runWaiting));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function runWaiting(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    process.stdout.write(output);
    process.stderr.write(errors);
    if (code !== 0) failed.push(name);
  }
}
