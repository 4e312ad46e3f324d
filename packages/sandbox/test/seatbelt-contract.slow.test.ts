import { sandboxContract } from '@longhaul/testing/contracts';
import { afterAll, describe, it } from 'vitest';
import { openStandIn } from './seatbelt-stand-in.ts';
import { harness, skip } from './support.ts';

const standIn = await openStandIn();
afterAll(() => standIn[Symbol.asyncDispose]());

sandboxContract({ describe, it, skip }, 'seatbelt without its program', {
  ...harness('seatbelt'),
  driver: standIn.driver,
  notIsolated: 'only macOS has the program that isolates',
});
