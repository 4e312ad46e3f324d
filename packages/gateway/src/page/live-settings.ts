import type { PageSettings } from '@longhaul/protocol/gateway-page';

/** Settings that can change while the gateway runs. A running request keeps those with which it began. */
export type LiveSettings = Pick<PageSettings, 'compactor' | 'inputThreshold' | 'warningThreshold'>;
