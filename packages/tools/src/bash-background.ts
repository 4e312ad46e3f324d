import type { ToolContext, ToolResult } from '@longhaul/core';
import { cutLine } from '@longhaul/core/tool-output';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

/** Starts a command beside other work. Its handle is that of the call. */
export async function startInBackground(
  command: string,
  cwd: string | undefined,
  { background, handle }: ToolContext,
): Promise<ToolResult> {
  if (background === undefined) return failedResult('Commands cannot run in the background here.');
  return reportRefusals(async () => {
    await background.start(command, { handle, cwd });
    const text = `[runs in the background as ${handle} until this run ends. Use process to wait for its output]`;
    const title = `${cutLine(command.trim().split('\n')[0] ?? '', 100)} (in the background)`;
    return textResult(text, {
      title,
      metadata: { ended: 'background', background: { handle, runs: true } },
    });
  });
}
