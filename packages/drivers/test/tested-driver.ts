import type { CallSettings } from '@longhaul/models';

/** The driver that the shared tests create. `native-drivers.test.ts` runs them again with another one. */
export const tested: { settings: Pick<CallSettings, 'driver'> } = { settings: { driver: 'ai-sdk' } };
