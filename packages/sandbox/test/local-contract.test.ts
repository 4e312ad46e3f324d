import { sandboxContract } from '@longhaul/testing/contracts';
import { describe, it } from 'vitest';
import { describeKind, harness, skip } from './support.ts';

await describeKind('local', () => sandboxContract({ describe, it, skip }, 'local', harness('local')));
