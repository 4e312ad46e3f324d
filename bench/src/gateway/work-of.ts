import type { Sides } from './sides.ts';

/** Processor time of one request or one chunk, in milliseconds. */
export interface Work {
  proxy: number;
  gateway: number;
}

/** Starts to measure the work of both processes. Returns a function that ends it. */
export async function measureWork({ helpers }: Sides): Promise<(count: number) => Promise<Work>> {
  const read = () => Promise.all([helpers['plain proxy'].workedMs(), helpers.gateway.workedMs()]);
  const [proxyBefore, gatewayBefore] = await read();
  return async (count) => {
    const [proxy, gateway] = await read();
    return { proxy: (proxy - proxyBefore) / count, gateway: (gateway - gatewayBefore) / count };
  };
}
