import { sandboxContract } from '@longhaul/testing/contracts';
import { describe, it } from 'vitest';
import { describeKind, harness, skip } from './support.ts';

await describeKind('bubblewrap', () =>
  sandboxContract({ describe, it, skip }, 'bubblewrap', harness('bubblewrap')),
);
