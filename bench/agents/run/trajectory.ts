/** Builds a trajectory in the Agent Trajectory Interchange Format (ATIF) from the events of `longhaul run --json`. */

/** An event as it is on a line of the output. Fields of other types are ignored. */
export interface AgentEvent {
  type: string;
  at?: number;
  sessionId?: string;
  [field: string]: unknown;
}

const SCHEMA_VERSION = 'ATIF-v1.7';

export interface TrajectoryStep {
  /** From 1. */
  step_id: number;
  timestamp?: string;
  source: 'system' | 'user' | 'agent';
  message: string;
  model_name?: string;
  reasoning_content?: string;
  tool_calls?: { tool_call_id: string; function_name: string; arguments: Record<string, unknown> }[];
  observation?: { results: { source_call_id: string; content: string }[] };
  metrics?: StepMetrics;
  llm_call_count?: number;
}

interface StepMetrics {
  /** Cached tokens included. */
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cost_usd?: number;
}

export interface Trajectory {
  schema_version: typeof SCHEMA_VERSION;
  session_id: string;
  agent: { name: 'longhaul'; version: string; model_name?: string };
  steps: TrajectoryStep[];
  notes?: string;
  final_metrics: {
    total_prompt_tokens: number;
    total_completion_tokens: number;
    total_cached_tokens: number;
    /** Absent: the price of the model is not known. */
    total_cost_usd?: number;
    total_steps: number;
  };
}

export interface TrajectoryBuilder {
  add(event: AgentEvent): void;
  /** The trajectory so far. */
  build(): Trajectory;
}

/** @param version The version of Longhaul. */
export function createTrajectoryBuilder(version: string): TrajectoryBuilder {
  const steps: TrajectoryStep[] = [];
  /** Calls of the answer that is arriving. They come before its response. */
  let calls: NonNullable<TrajectoryStep['tool_calls']> = [];
  let sessionId = '';
  let model: string | undefined;
  let notes: string | undefined;

  const push = (event: AgentEvent, step: Omit<TrajectoryStep, 'step_id'>) =>
    steps.push({ step_id: steps.length + 1, timestamp: timeOf(event), ...step });
  const pushAnswer = (event: AgentEvent) => {
    push(event, {
      source: 'agent',
      message: textOf(event['content']),
      llm_call_count: 1,
      ...(model !== undefined && { model_name: model }),
      ...(typeof event['reasoning'] === 'string' && { reasoning_content: event['reasoning'] }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...metricsOf(event),
    });
    calls = [];
  };

  const handlers: Record<string, (event: AgentEvent) => void> = {
    'run:started'(event) {
      model = textOf(event['model']);
      // A resumed run has no new task.
      if (textOf(event['task']) !== '') push(event, { source: 'user', message: textOf(event['task']) });
    },
    'llm:tool-call'(event) {
      calls.push({
        tool_call_id: textOf(event['callId']),
        function_name: textOf(event['toolName']),
        arguments: isObject(event['args']) ? event['args'] : { input: event['args'] },
      });
    },
    'llm:response': pushAnswer,
    'llm:error'(event) {
      // An answer that broke off counts only if something of it is kept.
      if (typeof event['content'] === 'string' && event['content'] !== '') pushAnswer(event);
      calls = [];
    },
    'llm:tool-result'(event) {
      const id = textOf(event['callId']);
      const step = steps.findLast(({ tool_calls = [] }) =>
        tool_calls.some((call) => call.tool_call_id === id),
      );
      if (step === undefined) return;
      step.observation ??= { results: [] };
      step.observation.results.push({ source_call_id: id, content: contentOf(event['sanitized']) });
    },
    'context:compressed'(event) {
      const size = `${String(event['originalTokens'])} to ${String(event['compressedTokens'])} tokens`;
      push(event, { source: 'system', message: `The context was compacted from ${size}.` });
    },
    'run:finished'(event) {
      notes = `Status: ${textOf(event['status'])}`;
    },
  };

  return {
    add(event) {
      if (typeof event.sessionId === 'string') sessionId = event.sessionId;
      if (Object.hasOwn(handlers, event.type)) handlers[event.type]?.(event);
    },
    build: () => ({
      schema_version: SCHEMA_VERSION,
      session_id: sessionId,
      agent: { name: 'longhaul', version, ...(model !== undefined && { model_name: model }) },
      steps,
      ...(notes !== undefined && { notes }),
      final_metrics: totalsOf(steps),
    }),
  };
}

function totalsOf(steps: readonly TrajectoryStep[]): Trajectory['final_metrics'] {
  const metrics = steps.flatMap((step) => step.metrics ?? []);
  const sum = (pick: (each: StepMetrics) => number) => metrics.reduce((total, each) => total + pick(each), 0);
  const isPriced = metrics.some(({ cost_usd }) => cost_usd !== undefined);
  return {
    total_prompt_tokens: sum((each) => each.prompt_tokens),
    total_completion_tokens: sum((each) => each.completion_tokens),
    total_cached_tokens: sum((each) => each.cached_tokens),
    ...(isPriced && { total_cost_usd: sum((each) => each.cost_usd ?? 0) }),
    total_steps: steps.length,
  };
}

function metricsOf({ tokenUsage, cost }: AgentEvent): { metrics?: StepMetrics } {
  if (!isObject(tokenUsage)) return {};
  return {
    metrics: {
      prompt_tokens: numberOf(tokenUsage['inputTokens']),
      completion_tokens: numberOf(tokenUsage['outputTokens']),
      cached_tokens: numberOf(tokenUsage['cacheReadTokens']),
      ...(typeof cost === 'number' && { cost_usd: cost }),
    },
  };
}

/** Images and files have no place in a result. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isObject(part) && part['type'] === 'text' ? textOf(part['text']) : `[${kindOf(part)}]`))
    .join('\n');
}

function kindOf(part: unknown): string {
  return isObject(part) ? textOf(part['type']) : 'unknown';
}

function timeOf({ at }: AgentEvent): string {
  return new Date(numberOf(at)).toISOString();
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
