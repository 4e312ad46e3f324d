import {
  createAiSdkDriver,
  type ModelDriver,
  modelInfoOf,
  type ResolvedModel,
  type ResolvedWindow,
  resolveWindow,
} from '@longhaul/core';
import { checkServer, probeWindow } from '@longhaul/models';

export interface DriverOptions {
  /** `--window`. */
  window?: number;
  stallMs: number;
}

export interface OpenDriver {
  driver: ModelDriver;
  window: ResolvedWindow;
}

/** A driver for the model, with the window that its server reports. */
export async function createDriver(model: ResolvedModel, options: DriverOptions): Promise<OpenDriver> {
  const flag = options.window === undefined ? {} : { flag: options.window };
  const window = await resolveWindow(model, { probe: probeWindow, check: checkServer, ...flag });
  const driver = await createAiSdkDriver({
    kind: model.kind,
    provider: model.provider,
    model: model.model,
    stallMs: options.stallMs,
    ...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
    ...(model.apiKey === undefined ? {} : { apiKey: model.apiKey }),
    ...(model.strictRoles === undefined ? {} : { strictRoles: model.strictRoles }),
    info: modelInfoOf(model, window),
  });
  return { driver, window };
}
