import { storeContract } from '@longhaul/core/testing';
import { describe, it } from 'vitest';
import { createMemoryStore } from './index.ts';

storeContract({ describe, it }, 'memory', async (options) => createMemoryStore(options));
