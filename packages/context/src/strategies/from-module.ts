import type { Trigger } from '../budget.ts';
import type { CompressionStrategy } from '../strategy.ts';

/** The strategy that a module exports, or why it exports none. */
export type StrategyFromModule =
  | { status: 'strategy'; strategy: CompressionStrategy }
  /** `problem` continues a sentence that begins with the module's name, such as `it must export …`. */
  | { status: 'none'; problem: string };

/**
 * Gets a user's own strategy from a loaded module: its export `strategy`, the result of its export
 * `createStrategy(options)`, or either as the default export. Only the strategy's shape is checked here; plans are
 * checked when they are made. Never rejects.
 *
 * @param options Passed to `createStrategy`.
 * @param trigger Replaces the strategy's own trigger.
 */
export async function strategyFromModule(
  exported: Readonly<Record<string, unknown>>,
  options: object,
  trigger?: Trigger,
): Promise<StrategyFromModule> {
  const found = exported['strategy'] ?? exported['createStrategy'] ?? exported['default'];
  if (found === undefined) return none(missingExport(exported));
  try {
    const strategy: unknown = typeof found === 'function' ? await found(options) : found;
    if (isStrategy(strategy)) return { status: 'strategy', strategy: withTrigger(strategy, trigger) };
    return none(`its strategy ${problemOf(strategy)}`);
  } catch (error) {
    return none(`creating its strategy failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function none(problem: string): StrategyFromModule {
  return { status: 'none', problem };
}

function missingExport(exported: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exported);
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  return `it must export "strategy", "createStrategy", or a default, and exports ${has}`;
}

function isStrategy(value: unknown): value is CompressionStrategy {
  return problemOf(value) === undefined;
}

/** Returns what is wrong with the shape of a strategy. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null)
    return `is not an object with { name, trigger, plan }, but ${value === null ? 'null' : typeof value}`;
  const { name, trigger, plan, validate } = value as Partial<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (typeof plan !== 'function') return 'has no plan function';
  if (validate !== undefined && typeof validate !== 'function')
    return 'has a validate that is not a function';
  if (!isTrigger(trigger))
    return "has no trigger such as { kind: 'overflow' } or { kind: 'threshold', percent: 0.8 }";
  return undefined;
}

function isTrigger(value: unknown): value is Trigger {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, percent } = value as Partial<Record<string, unknown>>;
  if (kind === 'overflow' || kind === 'manual') return true;
  const isShare = typeof percent === 'number' && percent > 0 && percent <= 1;
  return (kind === 'threshold' || kind === 'available') && isShare;
}

function withTrigger(strategy: CompressionStrategy, trigger: Trigger | undefined): CompressionStrategy {
  if (trigger === undefined) return strategy;
  const { validate } = strategy;
  return {
    name: strategy.name,
    trigger,
    plan: (input) => strategy.plan(input),
    validate: validate && ((before, after) => validate.call(strategy, before, after)),
  };
}
