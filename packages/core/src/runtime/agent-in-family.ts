import { childPlaceOf, type Session } from '@longhaul/protocol';
import type { SubtaskSettings } from '../ports/index.ts';
import type { RunAgent } from './runtime-options.ts';

const CHILD_TEXT =
  'You do one task for another agent, which reads only your final answer. Nobody answers questions. Put into the answer what that agent needs: results, exact paths, names and lines, and what is not done. Leave out how you worked.';

/**
 * Returns the agent as it is at its place in a family: a child has no tool that its parent could not call, and only
 * sessions that may have children can start some.
 */
export function agentInFamily(
  session: Session,
  agent: RunAgent,
  settings: SubtaskSettings | undefined,
): RunAgent {
  const place = childPlaceOf(session);
  const mayStart = settings !== undefined && (place?.depth ?? 0) < settings.maxDepth;
  const names = place && new Set(place.tools);
  const tools = agent.tools.filter(
    ({ name, startsSessions }) =>
      (startsSessions !== true || mayStart) && (names === undefined || names.has(name)),
  );
  if (names === undefined) return { ...agent, tools };
  const { allowsTool } = agent;
  return {
    ...agent,
    tools,
    allowsTool: (server, toolName) => names.has(toolName) && allowsTool?.(server, toolName) !== false,
    instructions: [CHILD_TEXT, ...(agent.instructions === undefined ? [] : [agent.instructions])].join(
      '\n\n',
    ),
  };
}
