import type { ToolContext, ToolResult } from '@longhaul/core';
import { cutLine } from '@longhaul/core/tool-output';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

/** Starts a command beside other work. Its handle is that of the call. */
export async function startInBackground(
  { command, keep = false }: { command: string; keep?: boolean },
  cwd: string | undefined,
  { background, handle }: ToolContext,
): Promise<ToolResult> {
  if (background === undefined) return failedResult('Commands cannot run in the background here.');
  return reportRefusals(async () => {
    await background.start(command, { handle, cwd, keep });
    const text = `[runs in the background as ${handle}${keep ? ', also after this run' : ' until this run ends'}. Use process to wait for its output]`;
    const title = `${cutLine(command.trim().split('\n')[0] ?? '', 100)} (in the background${keep ? ', kept' : ''})`;
    return textResult(text, {
      title,
      metadata: { ended: 'background', background: { handle, runs: true } },
    });
  });
}
