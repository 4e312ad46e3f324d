import type { RequestDecision } from '@longhaul/context';

/** A request that may leave. */
export type FittedRequest = Extract<RequestDecision, { action: 'send' }>;
