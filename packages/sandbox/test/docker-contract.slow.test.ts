import { sandboxContract } from '@longhaul/testing/contracts';
import { describe, it } from 'vitest';
import { describeKind, harness, skip } from './support.ts';

await describeKind('docker', () => sandboxContract({ describe, it, skip }, 'docker', harness('docker')));
