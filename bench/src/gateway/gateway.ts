/** The gateway of its benchmark, in a process of its own, as the command starts it. */
import { startGateway } from '@longhaul/gateway';
import { createMemoryCache } from '@longhaul/storage/memory';

const gateway = await startGateway({
  upstreams: [{ name: 'bench', baseUrl: process.argv[2] ?? '' }],
  cache: createMemoryCache(),
});
process.send?.(gateway.url);
process.on('disconnect', () => process.exit());
