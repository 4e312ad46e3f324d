import { modelInfoOf, resolveWindow } from '@longhaul/config';
import { createModelDriver } from '@longhaul/drivers';
import type { DriverOptions, OpenDriver } from './driver-options.ts';
import { type EmbeddedResolved, openEmbeddedModel } from './embedded-model.ts';

/**
 * Creates a driver for a model that runs inside Longhaul. Its process reports the exact window, so nothing is learned
 * from refusals.
 */
export async function createEmbeddedDriver(
  model: EmbeddedResolved,
  options: DriverOptions,
): Promise<OpenDriver> {
  const { fetch, facts } = await openEmbeddedModel(model);
  const { windowTokens, windowSource } = await facts(options.signal);
  const window = await resolveWindow(model, {
    probe: async () => ({ windowTokens, source: windowSource, acceptsImages: false }),
    flag: options.window,
  });
  const driver = await createModelDriver({
    kind: model.kind,
    provider: model.provider,
    model: model.model,
    baseUrl: model.baseUrl,
    stallMs: options.stallMs,
    strictRoles: model.strictRoles,
    extras: model.extras,
    settings: model.settings,
    info: modelInfoOf(model, window),
    fetch,
  });
  return { driver, window };
}
