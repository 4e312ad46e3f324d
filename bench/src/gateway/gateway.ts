/**
 * The gateway for the benchmark, in its own process, configured as the command starts it.
 */
import { startGateway } from '@longhaul/gateway';
import { createMemoryCache } from '@longhaul/storage/memory';
import { reportWork } from './report-work.ts';

const gateway = await startGateway({
  upstreams: [{ name: 'bench', baseUrl: process.argv[2] ?? '' }],
  cache: createMemoryCache(),
});
reportWork();
process.send?.(gateway.url);
process.on('disconnect', () => process.exit());
