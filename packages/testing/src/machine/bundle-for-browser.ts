import type { OutputChunk } from 'rolldown';

/** Bundles a module and its imports into one script, which leaves the module's exports in `Script`. */
export async function bundleForBrowser(input: string): Promise<OutputChunk> {
  const { rolldown } = await import('rolldown');
  await using build = await rolldown({
    input,
    platform: 'browser',
    // Only a script that runs on its own reads it.
    transform: { define: { 'import.meta': '{}' } },
    resolve: { conditionNames: ['longhaul-src', 'import', 'browser', 'default'] },
  });
  // Notes for bundlers are no code.
  const { output } = await build.generate({ format: 'iife', name: 'Script', minify: true, comments: false });
  return output[0];
}
