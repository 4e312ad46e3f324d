import { modelInfoOf, type ResolvedModel, resolveWindow } from '@longhaul/config';
import type { ServerWindow } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import {
  checkServer,
  type LearnedSettings,
  type ModelReport,
  type ProbeWindowOptions,
  probeModel,
  type ServerMemory,
} from '@longhaul/models';
import { adviceWithoutTools } from './advice-without-tools.ts';
import type { DriverOptions, OpenDriver } from './driver-options.ts';
import { createEmbeddedDriver } from './embedded-driver.ts';
import { isEmbedded } from './embedded-model.ts';

/** Creates a driver for the model, with the window that its server has taught or reports. */
export async function createDriver(model: ResolvedModel, options: DriverOptions): Promise<OpenDriver> {
  if (isEmbedded(model) && options.offline === undefined) return createEmbeddedDriver(model, options);
  const server = watchServer(model, options.memory);
  const { probe, remembered } = server;
  const withoutTools = options.offline === undefined ? adviceWithoutTools(model) : undefined;
  const window = await resolveWindow(model, {
    ...(options.offline === undefined ? { probe, check: checkServer } : { probe: async () => undefined }),
    remembered,
    flag: options.window,
  });
  const driver = await createModelDriver({
    kind: model.kind,
    provider: model.provider,
    model: model.model,
    stallMs: options.stallMs,
    baseUrl: model.baseUrl,
    apiKey: model.apiKey,
    strictRoles: model.strictRoles,
    extras: model.extras,
    settings: model.settings,
    learnedSettings: await server.learnedSettings(),
    onLearned: server.learnSettings,
    info: modelInfoOf(model, window, await withoutTools),
    ...(options.offline === undefined ? { serverWindow: server } : options.offline),
  });
  return { driver, window };
}

interface WatchedServer extends ServerWindow {
  probe: (options: ProbeWindowOptions) => Promise<ModelReport | undefined>;
  remembered: (reportedTokens: number | undefined) => Promise<number | undefined>;
  learnedSettings: () => Promise<LearnedSettings | undefined>;
  learnSettings: (settings: LearnedSettings) => Promise<void>;
}

/** What is known of one model at one server: remembered, reported, and learned from refusals. */
function watchServer(model: ResolvedModel, memory: Promise<ServerMemory> | undefined): WatchedServer {
  const { baseUrl, apiKey, serverKind } = model;
  const served = { baseUrl: (baseUrl ?? `${model.kind}:`).replace(/\/+$/, ''), model: model.model };
  let lastReport: Partial<ModelReport> = {};
  const probe = async (options: ProbeWindowOptions) => {
    const report = await probeModel(options);
    // A model that is not loaded now will probably get the window that it had.
    if (report?.windowTokens !== undefined) lastReport = report;
    return report;
  };
  return {
    probe,
    remembered: async (reportedTokens) => (await memory)?.learnedWindow(served, reportedTokens),
    async reported() {
      if (baseUrl === undefined) return undefined;
      const report = await probe({ baseUrl, model: model.model, apiKey, kind: serverKind });
      return report?.windowTokens;
    },
    async learned(windowTokens) {
      const { windowTokens: reportedTokens, slots = 1 } = lastReport;
      // What other requests take of a shared window changes, so a smaller window is not stored for later runs.
      if (slots > 1 && reportedTokens !== undefined && windowTokens < reportedTokens) return;
      await (await memory)?.learnWindow(served, windowTokens, reportedTokens);
    },
    learnedSettings: async () => (await memory)?.learnedSettings(served),
    async learnSettings(settings) {
      await (await memory)?.learnSettings(served, settings);
    },
  };
}
