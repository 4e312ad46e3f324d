import { accessOf, type EventPayload, NO_BUDGETS, type Session } from '@longhaul/protocol';
import { meteredDriver } from '../executor/metering/metered-driver.ts';
import type { ModelDriver } from '../ports/index.ts';
import type { BudgetOwner } from '../session/budgets/budget-text.ts';
import { SpendingMeter } from '../session/budgets/spending-meter.ts';
import { rootOf } from '../session/subtasks/family-tree.ts';
import type { RuntimeOptions } from './runtime-options.ts';

type Options = Pick<RuntimeOptions, 'store' | 'budgetsFor' | 'costOf'>;

/** Creates the meters of all model calls of a runtime. */
export class Spending {
  readonly #options: Options;
  readonly #reported = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** A child spends from the budgets of its first ancestor. */
  ofSession(session: Session, announce?: (event: EventPayload) => Promise<void>): SpendingMeter {
    return this.#meter(async () => {
      const root = await rootOf(this.#options.store, session);
      return { sessionId: root.id, owner: accessOf(root).owner };
    }, announce);
  }

  /** For calls that belong to no session. */
  ofToken(owner: string): SpendingMeter {
    return this.#meter(async () => ({ owner }));
  }

  /** For a call between runs: of a session, or for the token of this name. */
  metered(driver: ModelDriver, payer: Session | string): ModelDriver {
    return meteredDriver(driver, this.#of(payer));
  }

  /**
   * Checks the budgets of a session, or of the token of this name.
   *
   * @throws {LonghaulError} `budget_exceeded` if a run could call no model.
   */
  async assertLeft(payer: Session | string): Promise<void> {
    const refusal = await this.#of(payer).refusal();
    if (refusal !== undefined) throw refusal;
  }

  #of(payer: Session | string): SpendingMeter {
    return typeof payer === 'string' ? this.ofToken(payer) : this.ofSession(payer);
  }

  #meter(
    owner: () => Promise<BudgetOwner>,
    announce?: (event: EventPayload) => Promise<void>,
  ): SpendingMeter {
    const { store, costOf = () => undefined, budgetsFor = () => NO_BUDGETS } = this.#options;
    return new SpendingMeter({ store, owner, budgetsFor, costOf, reported: this.#reported, announce });
  }
}
