import { findBun, lacks } from '@longhaul/testing/machine';
import { beforeEach } from 'vitest';

/**
 * For the vitest project `bun`: its tests run the command with Bun, so they are skipped on a machine without it. The
 * harness reads LONGHAUL_TEST_RUNTIME.
 */
const bun = await findBun();
if (bun !== undefined) process.env['LONGHAUL_TEST_RUNTIME'] = bun;

beforeEach(({ skip }) => {
  if (bun === undefined) lacks('bun', 'no working Bun was found in node_modules or on the PATH', skip);
});
