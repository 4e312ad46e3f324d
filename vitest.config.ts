import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['longhaul-src'] },
  ssr: { resolve: { conditions: ['longhaul-src'] } },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'torture/src/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.bun.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a machine with other work, what takes a moment elsewhere takes long: only what never comes is a failure.
    expect: { poll: { timeout: 60_000 } },
  },
});
