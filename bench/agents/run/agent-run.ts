import { type AgentEvent, createTrajectoryBuilder, isObject, type Trajectory, textOf } from './trajectory.ts';

/** What an adapter gets of a run. README.md describes each field. */
export interface AgentResult {
  status: 'running' | 'completed' | 'cancelled' | 'failed' | 'limit' | 'interrupted';
  /** Of `longhaul run`. Null: it has not ended, or was killed by a signal. */
  exitCode: number | null;
  sessionId: string;
  model: string;
  answer: string;
  error: string | null;
  modelCalls: number;
  compactions: number;
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number };
  /** Null: the price of the model is not known. */
  costUsd: number | null;
}

export interface AgentRun {
  /** Takes a line of the output of `longhaul run --json`. Other lines are ignored. */
  addLine(line: string): void;
  /** Stores how the process ended. */
  end(exitCode: number | null): void;
  result(): AgentResult;
  trajectory(): Trajectory;
}

/** Collects the events of one run into its result and its trajectory, which can be read at any time. */
export function createAgentRun(version: string): AgentRun {
  const builder = createTrajectoryBuilder(version);
  let finished: AgentEvent | undefined;
  let compactions = 0;
  let exitCode: number | null = null;
  let hasEnded = false;
  return {
    addLine(line) {
      const event = readEvent(line);
      if (event === undefined) return;
      builder.add(event);
      if (event.type === 'run:finished') finished = event;
      if (event.type === 'context:compressed') compactions += 1;
    },
    end(code) {
      exitCode = code;
      hasEnded = true;
    },
    trajectory: () => builder.build(),
    result() {
      const { session_id, agent, steps, final_metrics: totals } = builder.build();
      const error = finished?.['error'];
      const lastAnswer = steps.findLast(({ source }) => source === 'agent')?.message ?? '';
      return {
        status: statusOf(finished, hasEnded),
        exitCode,
        sessionId: session_id,
        model: agent.model_name ?? '',
        answer: finished === undefined ? lastAnswer : textOf(finished['text']),
        error: isObject(error) ? textOf(error['message']) : null,
        modelCalls: steps.filter(({ source }) => source === 'agent').length,
        compactions,
        usage: {
          inputTokens: totals.total_prompt_tokens,
          outputTokens: totals.total_completion_tokens,
          cacheReadTokens: totals.total_cached_tokens,
        },
        costUsd: totals.total_cost_usd ?? null,
      };
    },
  };
}

/** A process that ended without a word of its run was killed, or did not start. */
function statusOf(finished: AgentEvent | undefined, hasEnded: boolean): AgentResult['status'] {
  const status = textOf(finished?.['status']);
  const known = ['completed', 'cancelled', 'failed', 'limit', 'interrupted'] as const;
  return known.find((each) => each === status) ?? (hasEnded ? 'failed' : 'running');
}

function readEvent(line: string): AgentEvent | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isObject(event) && typeof event['type'] === 'string'
      ? { ...event, type: event['type'] }
      : undefined;
  } catch {
    return undefined;
  }
}
