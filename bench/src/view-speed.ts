import {
  type ContextState,
  compact,
  computeBudget,
  countByClasses,
  createLedgerKeeper,
  createRequestMeter,
  createViewKeeper,
  decidePruning,
  decideRequest,
  memoizeCounter,
  ReactiveOverflowStrategy,
} from '@longhaul/context/engine';
import type { Mark, Message } from '@longhaul/protocol';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const SIZES = [1_000, 10_000];
const STEPS = 200;
/** Average tokens per message in a session of 10,000 messages and 2 million tokens. */
const TOKENS_A_MESSAGE = 200;

/**
 * Measures deciding about the next request and building its view at the end of a short and a long session: each step's
 * new message, the decision and pruning. Compactions are reported separately.
 */
export async function benchViewSpeed(): Promise<BenchResult> {
  const result: BenchResult = { name: 'view', rows: [], summary: {} };
  const medians: number[] = [];
  for (const size of SIZES) {
    const { steps, compactions } = await timeSteps(size);
    const sorted = steps.toSorted((left, right) => left - right);
    medians.push(median(steps));
    result.rows.push({
      label: `${size.toLocaleString('en')} messages`,
      values: {
        'median ms': median(steps),
        'p95 ms': sorted[Math.floor(sorted.length * 0.95)] ?? 0,
        'compaction ms': compactions.length === 0 ? '' : median(compactions),
      },
    });
  }
  const [short = 0, long = 0] = medians;
  result.summary = { medianMs: Number(long.toFixed(3)), longToShort: Number((long / short).toFixed(2)) };
  return result;
}

async function timeSteps(size: number): Promise<{ steps: number[]; compactions: number[] }> {
  const messages: Message[] = [];
  const marks: Mark[] = [];
  const count = memoizeCounter(countByClasses);
  const ledger = createLedgerKeeper();
  const state: ContextState = {
    log: { messages, marks },
    budget: computeBudget({ windowTokens: 64_000, maxOutputTokens: 16_000, fixedTokens: 1_500 }),
    meter: createRequestMeter(count),
    policy: {
      strategy: new ReactiveOverflowStrategy(),
      auto: true,
      ledgerShare: 0.2,
      protectedTools: new Set(),
    },
    views: createViewKeeper(),
  };
  const steps: number[] = [];
  const compactions: number[] = [];
  for (let sequence = 1; sequence <= size + STEPS; sequence += 1) {
    messages.push(messageOf(sequence));
    const startedAt = performance.now();
    const decision = decideRequest(state);
    const decidedAt = performance.now();
    if (decision.action === 'compact') await makeRoom(state, { marks, ledger, count });
    const compactedAt = performance.now();
    if (decision.action === 'compact') decideRequest(state);
    decidePruning(state);
    if (sequence <= size) continue;
    steps.push(performance.now() - compactedAt + (decidedAt - startedAt));
    if (decision.action === 'compact') compactions.push(compactedAt - decidedAt);
  }
  return { steps, compactions };
}

async function makeRoom(
  { log, budget, meter, policy }: ContextState,
  {
    marks,
    ledger,
    count,
  }: { marks: Mark[]; ledger: ReturnType<typeof createLedgerKeeper>; count: (text: string) => number },
): Promise<void> {
  let ids = 0;
  const outcome = await compact({
    log,
    budget,
    meter,
    strategy: policy.strategy,
    reason: 'threshold',
    count,
    ledgerShare: policy.ledgerShare,
    ledger,
    newId: () => `bench-${marks.length}-${++ids}`,
    now: 0,
  });
  if (outcome.status === 'exhausted') throw outcome.error;
  marks.push({ kind: 'compaction', sessionId: 'bench', ...outcome.compaction }, ...outcome.marks);
}

function messageOf(sequence: number): Message {
  const base = {
    id: `m${sequence}`,
    sessionId: 'bench',
    sequence,
    createdAt: 0,
    status: 'done',
    tokenCount: 0,
  } as const;
  if (sequence % 25 === 1) {
    return { ...base, role: 'user', parts: [{ type: 'text', text: `Do part ${sequence}.`, state: 'done' }] };
  }
  const path = `packages/part${sequence % 40}/src/file${sequence % 300}.ts`;
  const line = `export function handler${sequence % 500}(request: Request${sequence % 90}) { return respond(request); }\n`;
  const text = line.repeat(Math.ceil((TOKENS_A_MESSAGE * 4) / line.length));
  return {
    ...base,
    role: 'assistant',
    parts: [
      { type: 'text', text: 'I read the next file.', state: 'done' },
      {
        type: 'tool',
        callId: `c${sequence}`,
        name: 'read',
        input: { path },
        state: 'completed',
        output: [{ type: 'text', text }],
      },
    ],
  };
}
