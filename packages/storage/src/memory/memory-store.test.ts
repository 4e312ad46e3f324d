import { storeContract } from '@longhaul/testing/contracts';
import { describe, it } from 'vitest';
import { createMemoryStore } from './index.ts';

storeContract({ describe, it }, 'memory', async (options) => createMemoryStore(options));
