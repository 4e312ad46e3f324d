import { type LonghaulError, type TokenUsage, toLonghaulError } from '@longhaul/protocol';
import type {
  ModelDriver,
  ProviderCompaction,
  ProviderCompactionRequest,
  StepEvent,
  StepRequest,
} from '../../ports/index.ts';
import type { AllowedCall, SpendingMeter } from '../../session/budgets/spending-meter.ts';
import { CallTexts } from './call-texts.ts';

type Meter = Pick<SpendingMeter, 'begin'>;

/** Returns a driver whose calls are counted, and refused with `budget_exceeded` when a budget has nothing left. */
export function meteredDriver(driver: ModelDriver, meter: Meter): ModelDriver {
  const { router, serverWindow, countTokens, compact } = driver;
  return {
    ...(router !== undefined && { router }),
    ...(serverWindow !== undefined && { serverWindow }),
    get info() {
      return driver.info;
    },
    countTokens,
    compact: compact && ((request) => meteredCompaction({ driver, compact, meter }, request)),
    step: (request) => meteredStep(driver, request, meter),
  };
}

async function* meteredStep(
  driver: ModelDriver,
  request: StepRequest,
  meter: Meter,
): AsyncGenerator<StepEvent, void, undefined> {
  const texts = new CallTexts(request);
  const call = await begun(meter, driver, texts.sent);
  if ('error' in call) return yield { type: 'error', error: call.error };
  let isSettled = false;
  try {
    for await (const event of driver.step(request)) {
      texts.add(event);
      if (event.type === 'finish') {
        isSettled = true;
        const error = await settled(call, texts.counted(event.usage));
        if (error !== undefined) return yield { type: 'error', error };
      }
      yield event;
    }
  } finally {
    // Nobody says what a call without an end has used. It has been paid for, once the server answered.
    if (!isSettled) await call.settle(texts.isAnswered ? texts.counted(undefined) : undefined);
  }
}

async function meteredCompaction(
  {
    driver,
    compact,
    meter,
  }: { driver: ModelDriver; compact: NonNullable<ModelDriver['compact']>; meter: Meter },
  request: ProviderCompactionRequest,
): Promise<ProviderCompaction> {
  const texts = new CallTexts(request);
  const call = await meter.begin(driver, texts.sent);
  let used: TokenUsage | undefined;
  try {
    const compaction = await compact(request);
    used = texts.counted(compaction.usage);
    return compaction;
  } finally {
    await call.settle(used);
  }
}

async function begun(
  meter: Meter,
  driver: ModelDriver,
  sent: TokenUsage,
): Promise<AllowedCall | { error: LonghaulError }> {
  try {
    return await meter.begin(driver, sent);
  } catch (thrown) {
    return { error: toLonghaulError(thrown) };
  }
}

async function settled(call: AllowedCall, used: TokenUsage): Promise<LonghaulError | undefined> {
  try {
    await call.settle(used);
    return undefined;
  } catch (thrown) {
    return toLonghaulError(thrown);
  }
}
