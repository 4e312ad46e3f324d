import { isObject } from '../run/trajectory.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const ONLY_OF_AGENTS = ['model_name', 'reasoning_content', 'tool_calls', 'metrics'];

/** Returns what the specification of ATIF 1.7 forbids in a trajectory: numbering, sources, times and results of calls. */
export function problemsOf(trajectory: unknown): string[] {
  if (!isObject(trajectory)) return ['It is not an object.'];
  const problems: string[] = [];
  if (trajectory['schema_version'] !== 'ATIF-v1.7') problems.push('schema_version');
  const agent = trajectory['agent'];
  if (!isObject(agent) || typeof agent['name'] !== 'string' || typeof agent['version'] !== 'string')
    problems.push('agent needs name and version');
  const steps = Array.isArray(trajectory['steps']) ? trajectory['steps'] : [];
  if (steps.length === 0) problems.push('no steps');
  for (const [index, step] of steps.entries()) {
    problems.push(...problemsOfStep(isObject(step) ? step : {}, index + 1));
  }
  return problems;
}

function problemsOfStep(step: Record<string, unknown>, number: number): string[] {
  const problems: string[] = [];
  const say = (what: string) => problems.push(`step ${number}: ${what}`);
  if (step['step_id'] !== number) say('step_id');
  if (typeof step['timestamp'] !== 'string' || !TIME.test(step['timestamp'])) say('timestamp');
  if (typeof step['message'] !== 'string') say('message');
  if (!['system', 'user', 'agent'].includes(String(step['source']))) say('source');
  if (step['source'] !== 'agent')
    for (const key of ONLY_OF_AGENTS) if (key in step) say(`${key} belongs to agents`);
  const calls = Array.isArray(step['tool_calls']) ? step['tool_calls'] : [];
  for (const call of calls) {
    if (!isObject(call) || !isObject(call['arguments'])) say('arguments must be an object');
  }
  const observation = step['observation'];
  const results =
    isObject(observation) && Array.isArray(observation['results']) ? observation['results'] : [];
  const known = new Set(calls.map((call) => (isObject(call) ? call['tool_call_id'] : undefined)));
  for (const result of results) {
    if (!isObject(result) || !known.has(result['source_call_id'])) say('a result names no call of its step');
  }
  return problems;
}
