import { execFileSync } from 'node:child_process';
import { isRequired } from '@longhaul/testing/machine';

/**
 * Why a test cannot run here, or undefined. What LONGHAUL_REQUIRE names must be there: then the test runs, and fails.
 */
export function lacks(name: string, isThere: () => boolean): string | undefined {
  return isRequired(name) || isThere() ? undefined : `${name} is not available here`;
}

function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false; // The answer to whether it runs.
  }
}

/** Not `/`: that fails while something below it is unmounted, such as the file system of a container. */
const MOUNTS = ['/usr', '/lib', '/lib64'].flatMap((path) => ['--ro-bind-try', path, path]);

export const lacksBubblewrap = lacks('bubblewrap', () =>
  runs('bwrap', '--unshare-all', ...MOUNTS, '/usr/bin/true'),
);

export const lacksTmux = lacks('tmux', () => runs('tmux', '-V'));

/** An image with the programs of this machine, as `scripts/test-docker.sh` makes it. */
export const DOCKER_IMAGE = process.env['LONGHAUL_TEST_IMAGE'] ?? 'longhaul-test:latest';

export const lacksDocker = lacks('docker', () => runs('docker', 'image', 'inspect', DOCKER_IMAGE));
