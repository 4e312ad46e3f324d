import { type Defect, defect } from './defect.ts';
import type { ModelRequest } from './model-journal.ts';

/**
 * Checks that in every request, each call has exactly one result directly after its message, in the order of the calls,
 * and that there are no other results. Checks that no request was rejected for its content.
 */
export function checkRequests(requests: readonly ModelRequest[]): Defect[] {
  return requests.flatMap(({ number, body, outcome, status }) => {
    const defects = pairsOf(body?.messages ?? []).map((what) =>
      defect('orphan-call', `request ${number}: ${what}`),
    );
    if (outcome === 'rejected' && body !== undefined && defects.length === 0)
      defects.push(defect('corruption', `request ${number} was rejected with ${status}`));
    return defects;
  });
}

interface Turn {
  role: string;
  tool_calls?: readonly { id: string }[] | undefined;
  tool_call_id?: string | undefined;
}

function pairsOf(messages: readonly Turn[]): string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  let expected: string[] = [];
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === 'tool') {
      const next = expected.shift();
      if (next !== tool_call_id)
        problems.push(
          `found the result of ${tool_call_id}, expected ${next === undefined ? 'none' : `that of ${next}`}`,
        );
      continue;
    }
    problems.push(...expected.map((id) => `the call ${id} has no result`));
    expected = tool_calls?.map(({ id }) => id) ?? [];
    for (const id of expected) {
      if (known.has(id)) problems.push(`the call ${id} occurs twice`);
      known.add(id);
    }
  }
  return [...problems, ...expected.map((id) => `the call ${id} has no result`)];
}
