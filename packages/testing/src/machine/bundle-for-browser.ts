import type { OutputChunk } from 'rolldown';

/** One script of a module and all it imports, whose exports it leaves in `Script`. */
export async function bundleForBrowser(input: string): Promise<OutputChunk> {
  const { rolldown } = await import('rolldown');
  await using build = await rolldown({
    input,
    platform: 'browser',
    // Only a script that is run by itself asks for it.
    transform: { define: { 'import.meta': '{}' } },
    resolve: { conditionNames: ['longhaul-src', 'import', 'browser', 'default'] },
  });
  const { output } = await build.generate({ format: 'iife', name: 'Script', minify: true });
  return output[0];
}
