import type { Tool } from '@longhaul/core';
import type { LineWriter, ReceivedLine } from '../records/lines.ts';
import { trueTime } from '../records/true-time.ts';

/** Records each start of a tool before the tool can do anything. */
export function recordingTool(tool: Tool, lines: LineWriter<ReceivedLine>): Tool {
  return {
    ...tool,
    parse: (input) => tool.parse(input),
    execute(input, context) {
      lines.write({ type: 'tool', at: trueTime(), name: tool.name });
      return tool.execute(input, context);
    },
  };
}
