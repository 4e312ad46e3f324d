import type { ToolContext, ToolResult } from '@longhaul/core';
import type { PatchCommands } from './patch-command.ts';
import { runPatch } from './run-patch.ts';

/** Applies the patches that were typed as a command, then runs the commands after them, if all were applied. */
export async function runTypedPatches(
  { patches, rest, folder }: PatchCommands,
  context: ToolContext,
  runRest: (input: { command: string; workdir?: string }) => Promise<ToolResult>,
): Promise<ToolResult> {
  const results: ToolResult[] = [];
  for (const { patch, folder: workdir } of patches) {
    const result = await runPatch({ patch, ...(workdir !== undefined && { workdir }) }, context);
    results.push(result);
    if (result.isError === true)
      return joined(results, rest === '' ? '' : '[the commands after the patch were not run]');
  }
  if (rest.trim() !== '')
    results.push(await runRest({ command: rest, ...(folder !== undefined && { workdir: folder }) }));
  return joined(results, '');
}

function joined(results: readonly ToolResult[], remark: string): ToolResult {
  const last = results.at(-1);
  const content = results.flatMap((result) => result.content);
  const metadata = Object.assign({}, ...results.map((result) => result.metadata ?? {}));
  return {
    ...last,
    content: remark === '' ? content : [...content, { type: 'text', text: remark }],
    metadata,
  };
}
